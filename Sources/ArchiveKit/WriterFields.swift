/// The fields of an entry's records that say nothing of its content, as `ArchiveWriter` fills them:
/// equal in all of its entries, so that the same content gives the same bytes.
enum WriterFields {
    /// A fixed time, the first that the format knows: 1 January 1980, midnight.
    static let date: UInt16 = 1 << 5 | 1
    static let time: UInt16 = 0
    static let madeBy: UInt16 = 3 << 8 | wideVersion
    static let externalAttributes: UInt32 = 0o100644 << 16
    /// The versions of the format that readers need without Zip64 fields and with them.
    static let version: UInt16 = 20
    static let wideVersion: UInt16 = 45

    static func flags(_ name: String) -> GeneralPurposeFlags { name.utf8.allSatisfy { $0 < 0x80 } ? [] : .utf8 }

    /// How many of these fields are filled in another way, in the two records of an entry.
    static func deviations(_ central: CentralDirectoryHeader, _ local: LocalFileHeader, _ name: String) -> Int {
        let localVersion = local.extraLength == 0 ? version : wideVersion, flags = flags(name)
        return [
            central.versionMadeBy != madeBy,
            central.versionNeeded != (central.extraLength == 0 ? localVersion : wideVersion), central.flags != flags,
            central.time != time,
            central.date != date, central.internalAttributes != 0, central.externalAttributes != externalAttributes,
            local.versionNeeded != localVersion, local.flags != flags,
            local.time != time, local.date != date,
        ].count { $0 }
    }
}
