/// The values of header fields that do not depend on the content of an entry. They are the same for
/// all entries, so that equal content gives equal bytes.
enum WriterFields {
    /// A fixed time, the earliest of the format: 1 January 1980, midnight.
    static let date: UInt16 = 1 << 5 | 1
    static let time: UInt16 = 0
    static let madeBy: UInt16 = 3 << 8 | wideVersion
    static let externalAttributes: UInt32 = 0o100644 << 16
    /// The format versions that readers need without and with Zip64 fields.
    static let version: UInt16 = 20
    static let wideVersion: UInt16 = 45

    static func flags(_ name: String) -> GeneralPurposeFlags { name.utf8.allSatisfy { $0 < 0x80 } ? [] : .utf8 }

    /// The number of these fields with another value in the two headers of an entry.
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
