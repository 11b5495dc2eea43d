//! What the engine asks of the system about disks.
//!
//! Network disks are recognised on Linux only; elsewhere every disk is taken for a local one.

use std::path::Path;

/// Free bytes for this user on the disk that holds `path`; `None` where the system does not say.
#[cfg(unix)]
pub(crate) fn free_bytes(path: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut stat = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path ends with NUL and the buffer is of the type that the call fills.
    #[expect(unsafe_code, reason = "the standard library does not tell how full a disk is")]
    let stat = unsafe {
        if libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) != 0 {
            return None;
        }
        stat.assume_init()
    };
    #[expect(clippy::useless_conversion, reason = "the widths of these fields differ between systems")]
    Some(u64::from(stat.f_bavail).saturating_mul(u64::from(stat.f_frsize)))
}

/// Free bytes for this user on the disk that holds `path`; `None` where the system does not say.
#[cfg(not(unix))]
pub(crate) fn free_bytes(_path: &Path) -> Option<u64> {
    None
}

/// Whether `path` lies on a network disk, where SQLite's locks and memory maps are not safe.
#[cfg(target_os = "linux")]
pub(crate) fn is_network_disk(path: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else { return false };
    let mut stat = std::mem::MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: the path ends with NUL and the buffer is of the type that the call fills.
    #[expect(unsafe_code, reason = "the standard library does not tell the kind of a file system")]
    let stat = unsafe {
        if libc::statfs(path.as_ptr(), stat.as_mut_ptr()) != 0 {
            return false;
        }
        stat.assume_init()
    };
    is_network_magic(stat.f_type as u32) || (stat.f_type as u32 == FUSE && is_network_fuse(path.to_bytes()))
}

/// Whether `path` lies on a network disk: not checked on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_network_disk(_path: &Path) -> bool {
    false
}

#[cfg(target_os = "linux")]
const FUSE: u32 = 0x6573_5546;

/// NFS, SMB 1 to 3, CIFS, AFS, Coda, NCP, Ceph, 9p.
#[cfg(target_os = "linux")]
fn is_network_magic(magic: u32) -> bool {
    const NETWORK: [u32; 8] =
        [0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x5346_414F, 0x7375_7245, 0x564C, 0x00C3_6400];
    NETWORK.contains(&magic) || magic == 0x0102_1997
}

/// FUSE serves local disks (NTFS and the like) and network ones; the mount table says which.
#[cfg(target_os = "linux")]
fn is_network_fuse(path: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(path) = std::fs::canonicalize(std::ffi::OsStr::from_bytes(path)) else { return false };
    let Ok(mounts) = std::fs::read_to_string("/proc/self/mounts") else { return false };
    mount_kind(&mounts, &path).is_some_and(|kind| {
        let kind = kind.strip_prefix("fuse.").unwrap_or(kind);
        ["sshfs", "rclone", "davfs", "s3fs", "gvfsd-fuse", "curlftpfs", "glusterfs", "smbnetfs"]
            .contains(&kind)
    })
}

/// The kind of the file system that is mounted nearest above `path`.
#[cfg(target_os = "linux")]
fn mount_kind<'m>(mounts: &'m str, path: &Path) -> Option<&'m str> {
    let mounts = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let point = fields.next()?.replace("\\040", " ");
        Some((point, fields.next()?))
    });
    let above = mounts.filter(|(point, _)| path.starts_with(point));
    above.max_by_key(|(point, _)| point.len()).map(|(_, kind)| kind)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_decides() {
        let mounts =
            "/dev/sda1 / ext4 rw 0 0\nhost:/x /mnt/far\\040away fuse.sshfs rw 0 0\n/dev/b /mnt ntfs rw 0 0\n";
        assert_eq!(mount_kind(mounts, Path::new("/home/a")), Some("ext4"));
        assert_eq!(mount_kind(mounts, Path::new("/mnt/far away/data")), Some("fuse.sshfs"));
        assert_eq!(mount_kind(mounts, Path::new("/mnt/near")), Some("ntfs"));
    }

    #[test]
    fn a_local_folder_is_local_and_its_disk_has_room() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_network_disk(folder.path()));
        assert!(is_network_magic(0x6969) && is_network_magic(0xFE53_4D42));
        assert!(free_bytes(folder.path()).is_some());
    }
}
