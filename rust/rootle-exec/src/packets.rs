//! Packets with descriptors over a `SOCK_SEQPACKET` socket.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// The longest report carries one path or one sentence.
const PACKET_MAX: usize = 1 << 14;

/// Sends a packet with up to six descriptors.
pub fn send(socket: impl AsFd, packet: &[u8], descriptors: &[BorrowedFd<'_>]) -> rustix::io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(6))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    loop {
        match sendmsg(&socket, &[IoSlice::new(packet)], &mut ancillary, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            other => return other.map(drop),
        }
    }
}

/// Takes a packet; waits for one unless `DONTWAIT` is among the flags. `None` when the other side is gone.
pub fn receive(socket: impl AsFd, flags: RecvFlags) -> rustix::io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
    let mut bytes = [0_u8; PACKET_MAX];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(6))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let length = loop {
        let mut parts = [IoSliceMut::new(&mut bytes)];
        match recvmsg(&socket, &mut parts, &mut ancillary, flags | RecvFlags::CMSG_CLOEXEC) {
            // The other side closed without reading all. This is told once, before what it had sent itself.
            Err(Errno::INTR | Errno::CONNRESET) => {}
            other => break other?.bytes,
        }
    };
    let mut descriptors = vec![];
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            descriptors.extend(rights);
        }
    }
    Ok((length > 0).then(|| (bytes[..length].to_vec(), descriptors)))
}
