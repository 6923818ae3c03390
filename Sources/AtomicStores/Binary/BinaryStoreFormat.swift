import RowMemory

/// Folio's binary store, format version 1.
///
/// All numbers are little-endian; nothing is aligned. A file is a `Header`, a `SectionEntry` for
/// each section, and the sections in that order without gaps.
///
///     Header (48 bytes)
///       magic           8 bytes   89 46 4F 4C 49 4F 0D 0A
///       formatVersion   UInt32    1; a reader refuses a later one
///       sectionCount    UInt32    at most 1,000,000
///       fileLength      UInt64    of the whole file
///       storeUUID       16 bytes  textual order
///       reserved        UInt32    0
///       headerChecksum  UInt32    CRC-32 of the 44 bytes before and of all SectionEntry records
///
///     SectionEntry (32 bytes)
///       kind            UInt32    1 Metadata, 2 Model, 3 Directory, 4 Rows, 5 Members
///       reserved        UInt32    0
///       offset          UInt64    from the beginning of the file
///       length          UInt64
///       checksum        UInt32    CRC-32 of the section
///       reserved        UInt32    0
///
///     Metadata        one section: a binary property list, as in `Z_METADATA` without NSStoreType
///     Model           one section: the model, encoded by the opener's `ModelCoding`; may be empty
///
///     Directory       one section: the entities and properties that the other sections refer to
///       entityCount     UInt32
///       for each entity, in the model's order:
///         name            Text
///         greatestNumber  Int64     greatest assigned key of the hierarchy; 0 except for roots
///         propertyCount   UInt32
///         for each property, in the entity's order: name Text, kind UInt8 (see `ColumnKind`)
///       Text is a UInt32 with the number of bytes, followed by that many bytes of UTF-8.
///
///     Rows            a section for each entity that has objects of its own
///       entity          UInt32    index in the directory
///       columnCount     UInt32
///       rowCount        UInt64
///       keys            Int64 × rowCount, strictly ascending from 1
///       versions        Int64 × rowCount
///       Column × columnCount
///
///     Column
///       property        UInt32    index among the entity's properties
///       isComplete      UInt8     1: every row has a value; 0: a bitmap tells which have
///       length          UInt64    of the following bytes
///       presence        (rowCount + 7) / 8 bytes, if not complete; the first row is the lowest bit
///                       of the first byte
///       values          of the rows that have one, in order:
///         int, double, date   8 bytes each (dates in seconds since 2001)
///         float 4, bool 1, uuid 16 bytes each
///         toOne               all primary keys (Int64), then all entities' indexes (UInt32)
///         string, uri, decimal, data, large, boxed
///                             all lengths (UInt64), then all bytes. Decimals are text. If the
///                             highest bit of a large value's length is set, the bytes are the
///                             name of a file that was missing. Boxed values are encoded by
///                             `BoxedCoding`.
///
///     Members         a section for each ordered, many-to-many or inverse-less relationship with
///                     members (for an unordered many-to-many relationship, only for the side that
///                     is first in the directory)
///       entity          UInt32    the entity that declares it
///       property        UInt32
///       ownerCount      UInt64
///       owners          Int64 × ownerCount, ascending
///       counts          UInt32 × ownerCount
///       numbers         Int64 × the sum of counts, the keys of each owner's members in order
///       entities        UInt32 × the sum of counts
///
/// Every length is checked against the remaining bytes before memory is allocated, so that reading
/// a file needs memory in proportion to its size.
enum BinaryStoreFormat {
    static let magic: [UInt8] = [0x89, 0x46, 0x4F, 0x4C, 0x49, 0x4F, 0x0D, 0x0A]
    static let version: UInt32 = 1
    static let headerSize = 48
    static let sectionEntrySize = 32
    static let largestSectionCount = 1_000_000
    static let missingFlag: UInt64 = 1 << 63

    enum SectionKind: UInt32 {
        case metadata = 1, model, directory, rows, members
    }

    /// The codes of the kinds of slots in files.
    enum ColumnKind: UInt8 {
        case int = 1, bool, double, float, date, string, uri, uuid, decimal, data, large, boxed, toOne, toMany

        init(_ kind: SlotKind) {
            self =
                switch kind {
                case .int: .int
                case .bool: .bool
                case .double: .double
                case .float: .float
                case .date: .date
                case .string: .string
                case .uri: .uri
                case .uuid: .uuid
                case .decimal: .decimal
                case .data: .data
                case .large: .large
                case .boxed: .boxed
                case .toOne: .toOne
                case .toMany: .toMany
                }
        }
    }
}
