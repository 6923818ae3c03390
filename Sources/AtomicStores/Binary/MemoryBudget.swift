import RowMemory
import Storage

/// How much memory the objects of a binary store may take: what its file says of their number must
/// not be more than what such a file can well be meant to hold.
///
/// A file says in 16 bytes that there is an object, whose row may take thousands. Written are only
/// files that keep to this.
package final class MemoryBudget {
    private var left: Int
    private let fileSize: Int

    /// What every file may take, however small. To be changed by tests.
    @TaskLocal package static var floor = 192 << 20
    /// What a larger one may take for each of its bytes.
    private static let perByte = 32
    /// What an object costs beside its row: its place in tables and lists.
    private static let perRow = 128
    /// What a part of a composite or an element of a list costs.
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
