import Foundation
import RowMemory
import SQLiteKit

/// One row of a result, either of a stepped statement or passed to a sink.
///
/// Both implementations are specialized into the reading loops, so that no witness is called there.
protocol ResultCells {
    /// The type code of SQLite; see `CellType`.
    func typeNumber(at index: Int) -> Int32
    func int64(at index: Int) -> Int64
    func double(at index: Int) -> Double
    func withText<Result>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result
    func withBlob<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
}

extension Statement: ResultCells {}

extension SQLValues: ResultCells {
    @inline(__always) func typeNumber(at index: Int) -> Int32 { self[index].typeNumber }
    @inline(__always) func int64(at index: Int) -> Int64 { self[index].int64 }
    @inline(__always) func double(at index: Int) -> Double { self[index].double }

    @inline(__always) func withText<Result>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result)
        rethrows -> Result
    {
        try body(self[index].utf8)
    }

    @inline(__always) func withBlob<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        try body(self[index].bytes)
    }
}

/// SQLite's type codes of cells. They are plain integers, because comparing them is most of the
/// cost of reading a cell.
enum CellType {
    static var integer: Int32 { 1 }
    static var real: Int32 { 2 }
    static var text: Int32 { 3 }
    static var blob: Int32 { 4 }
    static var null: Int32 { 5 }
}

/// Typed access to cells. The types in a file can't be trusted: a cell is converted if possible,
/// and otherwise has no value.
extension ResultCells {
    /// A copy of the text; invalid UTF-8 is replaced.
    @inline(__always) func string(at index: Int) -> String {
        withText(at: index) { String(decoding: $0, as: UTF8.self) }
    }

    func data(at index: Int) -> Data {
        withBlob(at: index) { Data($0) }
    }

    func uuid(at index: Int) -> UUID? {
        switch typeNumber(at: index) {
        case CellType.blob:
            // A UUID consists of 16 unaligned bytes. Its initializer would be a function call.
            return withBlob(at: index) { bytes in
                bytes.count == 16 ? bytes.load(as: UUID.self) : nil
            }
        case CellType.text: return UUID(uuidString: string(at: index))
        default: return nil
        }
    }

    func decimal(at index: Int) -> Decimal? {
        switch typeNumber(at: index) {
        case CellType.integer: return Decimal(int64(at: index))
        case CellType.real:
            let number = double(at: index)
            // The shortest text that reads back as the same Double gives the intended decimal, not
            // the binary fraction.
            guard number.isFinite, let decimal = Decimal(string: number.description), decimal.isNumber else {
                return nil
            }
            return decimal
        case CellType.text:
            guard let decimal = Decimal(string: string(at: index)), decimal.isNumber else { return nil }
            return decimal
        default: return nil
        }
    }
}

extension Decimal {
    fileprivate var isNumber: Bool { !isNaN && !isInfinite }
}
