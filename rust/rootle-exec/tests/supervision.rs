//! Commands run through the real helper: output, endings, and what is left of them.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rootle_base::{CancelToken, Context, Error, Result};
use rootle_exec::processes::{has_in_environment, is_zombie, pids};
use rootle_exec::protocol::{Limits, Patience, Tier};
use rootle_exec::{Command, Ended, Outcome, Stdin, Streams, run};

const TIERS: [Tier; 3] = [Tier::Subreaper, Tier::Cgroup, Tier::PidNamespace];

fn command(script: &str, tier: Tier) -> Command {
    Command {
        helper: PathBuf::from(env!("CARGO_BIN_EXE_rootle-exec-helper")),
        argv: vec!["sh".into()],
        script: Some(script.into()),
        env: vec![("PATH".into(), "/usr/bin:/bin:/usr/sbin:/sbin".into())],
        cwd: File::open("/tmp").unwrap().into(),
        stdin: Stdin::Closed,
        streams: Streams::Separate,
        max_output_bytes: 1000,
        spill: None,
        tier,
        bubblewrap: vec![],
        limits: Limits::default(),
        keep_survivors: false,
        patience: Patience {
            grace: Duration::from_millis(200),
            orphan_grace: Duration::from_millis(100),
            settle: Duration::from_millis(100),
            kill: Duration::from_secs(3),
        },
        cancel_grace: Duration::from_millis(100),
        drain: Duration::from_millis(200),
    }
}

/// Whether a tier can be had where the tests run; root in a container may lack each of them.
fn available(tier: Tier) -> bool {
    !matches!(run(command("true", tier), &Context::unlimited()), Err(Error::SandboxUnavailable { .. }))
}

fn mark(command: &mut Command, name: &str) -> Vec<u8> {
    let value = format!("{name}-{}-{:?}", std::process::id(), Instant::now()).replace(' ', "");
    command.env.push(("ROOTLE_TEST".into(), OsString::from(&value)));
    format!("ROOTLE_TEST={value}").into_bytes()
}

fn alive(entry: &[u8]) -> usize {
    pids().filter(|pid| has_in_environment(*pid, entry) && !is_zombie(*pid)).count()
}

fn within(seconds: f64, command: Command) -> Result<Outcome> {
    run(command, &Context::new(Some(Duration::from_secs_f64(seconds)), CancelToken::new()))
}

#[test]
fn a_command_gives_its_streams_and_its_code() {
    for tier in TIERS.into_iter().filter(|tier| available(*tier)) {
        let outcome = within(10.0, command("echo out; echo err >&2; pwd; exit 300", tier)).unwrap();
        assert_eq!(outcome.ended, Ended::Exited);
        assert_eq!((outcome.exit_code, outcome.signal), (Some(44), None), "{tier:?}");
        assert_eq!(outcome.stdout.data, b"out\n/tmp\n");
        assert_eq!(outcome.stderr.data, b"err\n");
        assert_eq!(outcome.output.total, 13);
        assert!(outcome.drained && outcome.survivors_left == 0 && outcome.survivors_killed == 0);
    }
}

#[test]
fn a_signal_is_told_exactly() {
    for tier in TIERS.into_iter().filter(|tier| available(*tier)) {
        for (name, number) in [("SEGV", 11), ("KILL", 9), ("USR1", 10), ("TERM", 15)] {
            let outcome = within(10.0, command(&format!("kill -{name} $$"), tier)).unwrap();
            assert_eq!((outcome.exit_code, outcome.signal), (None, Some(number)), "{tier:?}");
        }
    }
}

#[test]
fn everything_ends_at_the_deadline() {
    let cases = [
        ("pipeline", "echo partial; sleep 600 | cat"),
        ("deaf", "echo partial; trap '' TERM; sleep 600"),
        ("deaf group", "echo partial; (trap '' TERM; setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done') & wait"),
        ("stopped", "echo partial; sleep 600 & kill -STOP $!; kill -STOP $$"),
        ("double fork", "echo partial; (setsid sh -c 'sleep 600 &' &); sleep 600"),
    ];
    for tier in TIERS.into_iter().filter(|tier| available(*tier)) {
        for (name, script) in cases {
            let mut command = command(script, tier);
            let entry = mark(&mut command, "deadline");
            let begun = Instant::now();
            let outcome = within(0.5, command).unwrap();
            assert_eq!(outcome.ended, Ended::Deadline, "{name} {tier:?}");
            assert_eq!(outcome.stdout.data, b"partial\n", "{name} {tier:?}");
            assert!(begun.elapsed() < Duration::from_millis(1000), "{name} {tier:?} took {:?}", begun.elapsed());
            assert_eq!((alive(&entry), outcome.survivors_left), (0, 0), "{name} {tier:?}");
        }
    }
}

#[test]
fn what_outlives_the_command_is_ended_or_kept() {
    for tier in TIERS.into_iter().filter(|tier| available(*tier)) {
        let mut one = command("setsid sleep 600 & echo hi", tier);
        let entry = mark(&mut one, "daemon");
        let outcome = within(5.0, one).unwrap();
        assert_eq!((outcome.ended, outcome.exit_code), (Ended::Exited, Some(0)));
        assert_eq!((outcome.survivors_killed, outcome.survivors_left), (1, 0), "{tier:?}");
        assert!(outcome.duration < Duration::from_secs(1) && outcome.drained);
        assert_eq!((outcome.stdout.data.as_slice(), alive(&entry)), (&b"hi\n"[..], 0));

        let mut two = command("setsid sleep 5 & echo hi", tier);
        two.keep_survivors = true;
        let entry = mark(&mut two, "kept");
        let outcome = within(5.0, two).unwrap();
        assert_eq!((outcome.survivors_killed, outcome.survivors_left), (0, 1), "{tier:?}");
        assert!(!outcome.drained && outcome.stdout.data == b"hi\n");
        assert!(alive(&entry) > 0, "{tier:?}");
    }
}

#[test]
fn a_command_that_kills_its_parents_does_not_escape() {
    for tier in TIERS.into_iter().filter(|tier| available(*tier)) {
        for script in [
            "echo hi; setsid sleep 600 & kill -9 $PPID; sleep 600",
            "echo hi; setsid sleep 600 & kill -9 $(ps -o ppid= $PPID) $PPID; sleep 600",
            "echo hi; setsid sleep 600 & kill -STOP $(ps -o ppid= $PPID) $PPID; sleep 600",
        ] {
            let mut command = command(script, tier);
            let entry = mark(&mut command, "parents");
            let begun = Instant::now();
            let outcome = within(1.0, command).unwrap();
            assert!(begun.elapsed() < Duration::from_secs(2), "{script} {tier:?} took {:?}", begun.elapsed());
            assert_eq!((outcome.stdout.data.as_slice(), alive(&entry)), (&b"hi\n"[..], 0), "{script} {tier:?}");
        }
    }
}

#[test]
fn a_token_ends_a_command_within_200_ms() {
    let token = CancelToken::new();
    let mut command = command("trap '' TERM; echo hi; sleep 600", Tier::Subreaper);
    let entry = mark(&mut command, "token");
    let (ended, waited) = std::thread::scope(|scope| {
        let ctx = Context::new(None, token.clone());
        let worker = scope.spawn(move || run(command, &ctx).unwrap());
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        token.cancel();
        (worker.join().unwrap(), begun.elapsed())
    });
    assert_eq!((ended.ended, ended.stdout.data.as_slice()), (Ended::Cancelled, &b"hi\n"[..]));
    assert!(waited < Duration::from_millis(250), "took {waited:?}");
    assert_eq!(alive(&entry), 0);
}

#[test]
fn a_program_that_cannot_start_is_an_outcome() {
    for tier in TIERS.into_iter().filter(|tier| available(*tier)) {
        for (program, errno, code) in [("no-such-program", 2, 127), ("/etc/passwd", 13, 126), ("/tmp", 13, 126)] {
            let mut one = command("", tier);
            (one.argv, one.script) = (vec![program.into()], None);
            let outcome = within(5.0, one).unwrap();
            assert_eq!((outcome.ended, outcome.start_error), (Ended::NotStarted, Some(errno)), "{program} {tier:?}");
            assert_eq!(outcome.exit_code, Some(code));
        }
    }
}

#[test]
fn much_output_keeps_its_ends_and_its_count() {
    let outcome = within(30.0, command("yes | head -c 100000000; echo the end", Tier::Subreaper)).unwrap();
    assert_eq!(outcome.stdout.total, 100_000_008);
    assert_eq!((outcome.stdout.data.len(), outcome.stdout.gap), (1000, Some(250)));
    assert!(outcome.stdout.data.starts_with(b"y\ny\n") && outcome.stdout.data.ends_with(b"y\nthe end\n"));
}

#[test]
fn stdin_is_what_was_given() {
    let mut one = command("cat; echo end", Tier::Subreaper);
    one.stdin = Stdin::Bytes(b"some\0bytes".to_vec());
    assert_eq!(within(5.0, one).unwrap().stdout.data, b"some\0bytesend\n");
    assert_eq!(within(5.0, command("cat; read x; echo $?", Tier::Subreaper)).unwrap().stdout.data, b"1\n");
    let tty = within(5.0, command("cat /dev/tty; sh -c 'ps -o tty= $$'", Tier::Subreaper)).unwrap();
    assert_eq!(tty.stdout.data.trim_ascii(), b"?");
}

#[test]
fn a_long_script_runs() {
    let script = format!("x='{}'; echo ${{#x}}; exit 3", "a".repeat(300_000));
    let outcome = within(5.0, command(&script, Tier::Subreaper)).unwrap();
    assert_eq!((outcome.stdout.data.as_slice(), outcome.exit_code), (&b"300000\n"[..], Some(3)));
}

#[test]
fn limits_hold() {
    for tier in TIERS.into_iter().filter(|tier| available(*tier)) {
        // Two to the eighth at most, whatever the limit does.
        let bomb = "b() { [ $1 = 0 ] || { b $(($1 - 1)) & b $(($1 - 1)) & }; sleep 20; }; b 7; sleep 20";
        let mut bomb = command(bomb, tier);
        bomb.limits.processes = Some(40);
        let entry = mark(&mut bomb, "bomb");
        let outcome = within(4.0, bomb).unwrap();
        // Either a shell gave up for want of processes, or all were ended.
        assert!(outcome.ended == Ended::ProcessLimit || outcome.stderr.total > 0, "{tier:?} {outcome:?}");
        assert!(outcome.duration < Duration::from_millis(4500), "{tier:?} {:?}", outcome.duration);
        assert_eq!((alive(&entry), outcome.survivors_left), (0, 0), "{tier:?}");

        let mut file = command("head -c 2000000 /dev/zero > big; echo $?", tier);
        let dir = tempfile::tempdir().unwrap();
        file.cwd = File::open(dir.path()).unwrap().into();
        file.limits.file_size = Some(1_000_000);
        within(5.0, file).unwrap();
        assert_eq!(fs::metadata(dir.path().join("big")).unwrap().len(), 1_000_000);

        let mut cpu = command("while :; do :; done", tier);
        cpu.limits.cpu_s = Some(1);
        assert_eq!(within(8.0, cpu).unwrap().signal, Some(24));

        let mut memory = command("head -c 500000000 /dev/zero | tail -n 1 | wc -c", tier);
        memory.limits.memory = Some(100_000_000);
        assert_ne!(within(8.0, memory).unwrap().stdout.data, b"500000000\n");
    }
}

#[test]
fn what_no_process_can_have_is_refused() {
    let refused = |change: &dyn Fn(&mut Command), name: &str| {
        let mut one = command("true", Tier::Subreaper);
        change(&mut one);
        assert!(matches!(within(1.0, one), Err(Error::InvalidArgument { name: given, .. }) if given == name), "{name}");
    };
    refused(&|one| one.argv.clear(), "argv");
    refused(&|one| one.argv.push("a\0b".into()), "argv");
    refused(&|one| one.script = Some(b"a\0b".to_vec()), "script");
    for (name, value) in [("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "x\0")] {
        refused(&|one| one.env.push((name.into(), value.into())), "env");
    }
}
