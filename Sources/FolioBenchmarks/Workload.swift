/// A measured workload of the performance contract.
enum Workload: String, CaseIterable, Codable {
    case w1 = "W1"
    case w2 = "W2"
    case w2b = "W2b"
    case w4 = "W4"
    case w5 = "W5"
    case w8 = "W8"
    case w14 = "W14"

    var title: String {
        switch self {
        case .w1: "insert n objects, one save"
        case .w2: "fetch n objects, read every attribute"
        case .w2b: "the same fetch again"
        case .w4: "change one attribute of n objects, save"
        case .w5: "one change made durable among n objects (autosave), processor time"
        case .w8: "open a document of n objects, read the first"
        case .w14: "100 predicates of rising complexity on n objects"
        }
    }

    var must: Double {
        switch self {
        case .w14: 1.2
        case .w1, .w2: 1.2
        case .w2b: 0.4
        case .w4: 1.1
        case .w5, .w8: 2
        }
    }

    var goal: Double {
        switch self {
        case .w14: 1.05
        case .w1, .w2, .w4: 0.9
        case .w2b: 0.3
        case .w5, .w8: 1.2
        }
    }

    var defaultSizes: [Int] { [100_000, 1_000_000] }

    /// Whether the ratio is one of processor time: where durable writes dominate, the wall clock measures the disk.
    var comparesProcessorTime: Bool { self == .w5 }

    /// Whether the workload works on a document that has its objects already.
    var needsFilledDocument: Bool { self != .w1 }

    /// How often the timed operation is repeated in one process; times are for one of them.
    var repetitions: Int {
        switch self {
        case .w5: 200
        case .w8: 50
        case .w14, .w1, .w2, .w2b, .w4: 1
        }
    }
}

/// Who does the work.
enum Contestant: String, CaseIterable, Codable {
    case folio, hand
}
