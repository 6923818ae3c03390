internal import CSystem

/// The kind of a file system, as far as it matters to a database.
package enum Volume: Sendable, Hashable {
    /// A local file system: locks and shared memory work for all processes that can access its
    /// files.
    case local
    /// A network file system, which other machines may access at the same time.
    case network
    /// A file system in user space (FUSE), which may not support locks or shared memory.
    case userSpace

    /// The result for a path in tests. Nil, or a result of nil, asks the system.
    @TaskLocal package static var assumed: (@Sendable (_ path: String) -> Volume?)?

    /// The `statfs` types of network file systems: NFS, three versions of SMB, 9P, AFS, Ceph, Coda,
    /// Lustre, OCFS2, GFS2, and shared folders of virtual machines.
    private static let networkTypes: [UInt32] = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x5346_414F, 0x6B41_4653, 0x00C3_6400, 0x7375_7245,
        0x0BD0_0BD0, 0x7461_636F, 0x0116_1970,
        0x786F_4256, 0xBACB_ACBC,
    ]
    private static let userSpaceType: UInt32 = 0x6573_5546

    /// The volume of an existing file.
    package static func of(_ path: String) throws -> Volume {
        if let volume = assumed?(path) { return volume }
        let type = UInt32(try withPath(path) { name in try perform(.stat, path) { Int(folio_file_system_type(name)) } })
        return type == userSpaceType ? .userSpace : networkTypes.contains(type) ? .network : .local
    }
}
