import Foundation
import RowMemory
import Schema
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

extension ResultCells {
    /// The cell in the form in which a store writes it; NULL if it is not of its kind.
    func regular(at index: Int, _ kind: CellReader.Kind) -> SQLiteValue {
        let type = typeNumber(at: index)
        switch kind {
        case .int: return integer(at: index).map { .integer($0) } ?? .null
        case .bool: return bool(at: index).map { .integer($0 ? 1 : 0) } ?? .null
        case .double: return number(at: index).map { .real($0) } ?? .null
        case .float: return float(at: index).map { .real(Double($0)) } ?? .null
        case .string: return type == CellType.text ? .text(string(at: index)) : .null
        case .uuid: return uuid(at: index).map { SQLiteValue(constant: .uuid($0)) ?? .null } ?? .null
        case .decimal: return decimal(at: index).map { SQLiteValue($0) } ?? .null
        case .data, .large: return type == CellType.blob ? .blob([UInt8](data(at: index))) : .null
        case .toOne: return integer(at: index).flatMap { $0 > 0 ? .integer($0) : nil } ?? .null
        case .composite: return .null
        }
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

/// Typed access to cells. The types in a file can't be trusted, because SQLite keeps any value in
/// any column: a cell that is not of its attribute's type has no value. `Irregularity` says the
/// same in SQL.
extension ResultCells {
    /// An integer, possibly stored as a floating-point number.
    func integer(at index: Int) -> Int64? {
        switch typeNumber(at: index) {
        case CellType.integer: int64(at: index)
        case CellType.real: Int64(exactly: double(at: index))
        default: nil
        }
    }

    /// Every number but 0 is true.
    func bool(at index: Int) -> Bool? { number(at: index).map { $0 != 0 } }

    func number(at index: Int) -> Double? { typeNumber(at: index) <= CellType.real ? double(at: index) : nil }

    /// Nil for a number that is too large.
    func float(at index: Int) -> Float? {
        guard let number = number(at: index) else { return nil }
        let float = Float(number)
        return float.isFinite || !number.isFinite ? float : nil
    }

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
            return Decimal(wholeText: string(at: index))
        default: return nil
        }
    }
}

extension Decimal {
    fileprivate var isNumber: Bool { !isNaN && !isInfinite }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
    }

    /// Nil unless all of the text is a number; `Decimal(string:)` takes what a text begins with.
    fileprivate init?(wholeText text: String) {
        guard Double(text) != nil, text.utf8.allSatisfy(Self.isNumeric), let decimal = Decimal(string: text),
            decimal.isNumber
        else { return nil }
        self = decimal
    }
}
