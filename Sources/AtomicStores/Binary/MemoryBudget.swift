import RowMemory
import Storage

/// A limit on the memory for the objects of a binary store. The number of objects in the file must
/// be plausible for a file of its size.
///
/// A file needs 16 bytes for an object, whose row may need thousands. Folio only writes files that
/// conform to the limit.
package final class MemoryBudget {
    private var left: Int
    private let fileSize: Int

    /// The limit for any file, however small. Tests may change it.
    @TaskLocal package static var floor = 192 << 20
    /// The limit for each byte of a larger file.
    private static let perByte = 32
    /// The cost of an object in addition to its row: entries in tables and lists.
    private static let perRow = 128
    /// The cost of a part of a composite or an element of a list.
    static let perPart = 160

    init(fileSize: Int) {
        self.fileSize = fileSize
        left = max(
            Self.floor, fileSize.multipliedReportingOverflow(by: Self.perByte).overflow ? .max : fileSize * Self.perByte
        )
    }

    func spend(_ bytes: Int, times count: Int = 1) throws(StorageError) {
        let (cost, overflow) = bytes.multipliedReportingOverflow(by: count)
        guard !overflow, cost <= left else {
            throw StorageError(
                .damaged, "The store is damaged: a file of \(fileSize) bytes can't hold as many objects as it promises")
        }
        left -= cost
    }

    func spend(rows count: Int, of layout: RowLayout) throws(StorageError) {
        try spend(layout.stride + Self.perRow, times: count)
    }
}
