internal import CSystem

/// What kind of file system something lies on, as far as a database cares.
package enum Volume: Sendable, Hashable {
    /// One of this machine's own: locks and shared memory hold for everybody who can see its files.
    case local
    /// Served by another machine, which has users of its own.
    case network
    /// Served by a program of this machine's (FUSE), which may do without any of that.
    case userSpace

    /// What tests take a path for; nil, or an answer of nil, asks the system.
    @TaskLocal package static var assumed: (@Sendable (_ path: String) -> Volume?)?

    /// The numbers by which `statfs` names file systems of the network: NFS, SMB in three ages, 9P,
    /// AFS, Ceph, Coda, Lustre, OCFS2, GFS2, and shared folders of virtual machines.
    private static let networkTypes: [UInt32] = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x5346_414F, 0x6B41_4653, 0x00C3_6400, 0x7375_7245,
        0x0BD0_0BD0, 0x7461_636F, 0x0116_1970,
        0x786F_4256, 0xBACB_ACBC,
    ]
    private static let userSpaceType: UInt32 = 0x6573_5546

    /// The volume of something that exists.
    package static func of(_ path: String) throws -> Volume {
        if let volume = assumed?(path) { return volume }
        let type = UInt32(try withPath(path) { name in try perform(.stat, path) { Int(folio_file_system_type(name)) } })
        return type == userSpaceType ? .userSpace : networkTypes.contains(type) ? .network : .local
    }
}
