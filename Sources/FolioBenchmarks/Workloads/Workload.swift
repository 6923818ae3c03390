/// A measured workload of the performance contract. Those with several parts have a case for each.
enum Workload: String, CaseIterable, Codable {
    case w1 = "W1"
    case w2 = "W2"
    case w2b = "W2b"
    case w3 = "W3"
    case w4 = "W4"
    case w5 = "W5"
    case w6a = "W6a"
    case w6b = "W6b"
    case w7a = "W7a"
    case w7b = "W7b"
    case w8 = "W8"
    case w9Add = "W9-add"
    case w9Rename = "W9-rename"
    case w9Drop = "W9-drop"
    case w9Split = "W9-split"
    case w10Pack = "W10-pack"
    case w10Unpack = "W10-unpack"
    case w11a = "W11a"
    case w11b = "W11b"
    case w11c = "W11c"
    case w12a = "W12a"
    case w12b = "W12b"
    case w13a = "W13a"
    case w13b = "W13b"
    case w14 = "W14"
    case w15a = "W15a"
    case w15b = "W15b"
    case w16 = "W16"
    case storesBinary = "Stores-binary"
    case storesXML = "Stores-xml"
    case storesMemory = "Stores-memory"
    case memory = "Memory"
    case embeddingBulk = "Embedding-bulk"
    case embeddingGet = "Embedding-get"
    case startVersion = "Start-version"
    case startInfo = "Start-info"

    /// The contract's name of the workload, and of its part where it has several.
    var name: (id: String, part: String) {
        let words = rawValue.split(separator: "-", maxSplits: 1).map(String.init)
        return (words[0], words.count > 1 ? words[1] : "")
    }

    /// The workload of a name, or all parts of it: W7 is W7a and W7b.
    static func named(_ name: String) -> [Workload] {
        let exact = allCases.filter { $0.rawValue == name || $0.name.id == name }
        return exact.isEmpty
            ? allCases.filter { $0.name.id.dropLast() == name && $0.name.id.last?.isLetter == true } : exact
    }

    var title: String {
        switch self {
        case .w1: "insert n objects, one save"
        case .w2: "fetch n objects, read every attribute"
        case .w2b: "the same fetch again"
        case .w3: "1,000 fetches of 1,000 of n objects by an indexed attribute, sorted, limited"
        case .w4: "change one attribute of n objects, save"
        case .w5: "one change made durable among n objects (autosave), processor time"
        case .w6a: "read the names of n employees by department, prefetched"
        case .w6b: "read the names of n employees by department, one department after the other"
        case .w7a: "delete all departments with their n employees, which somebody has"
        case .w7b: "delete all departments with their n employees, which nobody has"
        case .w8: "open a document of n objects, read the first"
        case .w9Add: "migrate n objects: an attribute with a default is added"
        case .w9Rename: "migrate n objects: an attribute is renamed"
        case .w9Drop: "migrate n objects: an attribute is dropped"
        case .w9Split: "migrate n objects: the entity is split in two"
        case .w10Pack: "pack a document of n kilobytes that don't compress, beside cp -r, both durable"
        case .w10Unpack: "unpack a document of n kilobytes that don't compress, beside cp -r, both durable"
        case .w11a: "read an attribute of n objects 50 times, beside a stored property"
        case .w11b: "write an attribute of n objects 50 times, beside a dictionary of any values"
        case .w11c: "read an attribute of n objects 50 times by name, beside the same by a typed key"
        case .w12a: "undo n changes, beside making them"
        case .w12b: "redo n changes, beside making them"
        case .w13a: "bytes written by an autosave of one attribute, beside the pages changed"
        case .w13b: "bytes written by a save that keeps a version, beside the pages changed"
        case .w14: "100 predicates of rising complexity on n objects"
        case .w15a: "merge 10 changes of each of two copies of n objects, beside comparing the two"
        case .w15b: "merge two documents of n objects that were never one, beside comparing the two"
        case .w16: "import n CSV rows of five columns, beside the same into a plain table"
        case .storesBinary: "make, save, open and read n objects in a binary store, beside Folio's SQLite store"
        case .storesXML: "make, save, open and read n objects in an XML store, beside Folio's SQLite store"
        case .storesMemory: "make, save and read n objects in memory, beside Folio's SQLite store"
        case .memory: "memory still taken when the context of n objects is gone, beside what they took"
        case .embeddingBulk: "fetch n objects, read every attribute in bulk through C, beside Swift"
        case .embeddingGet: "n reads of an attribute by its name through C, beside Swift"
        case .startVersion: "the command says its version, beside sqlite3 --version"
        case .startInfo: "the command describes a document of n objects, beside sqlite3 .tables"
        }
    }

    /// The greatest ratio, or time in milliseconds, that is accepted; nil for no bound.
    var must: Double? {
        switch self {
        case .w1, .w2, .w14: 1.2
        case .w2b: 0.4
        case .w3: 0.6
        case .w4, .w9Drop, .w9Split: 1.1
        case .w5: 2
        case .w8: 3.5
        case .w15a: 0.2
        case .w15b: 3
        case .w6a, .w7a: 1.5
        case .w6b: 1.2
        case .w7b: 0.8
        case .w9Add, .w9Rename: 3
        case .w11a, .w16: 5
        case .w11b: 0.5
        case .w10Pack, .w10Unpack: 0.8
        case .w11c, .storesXML: nil
        case .w12a, .w12b, .storesBinary, .storesMemory: 1
        case .w13a, .w13b: 4
        case .memory: 0.1
        case .embeddingBulk: 1.3
        case .embeddingGet: 30
        case .startVersion: 15
        case .startInfo: 40
        }
    }

    /// What is aimed at; nil where there is no bound.
    var goal: Double? {
        switch self {
        case .w1, .w2, .w4: 0.9
        case .w2b: 0.3
        case .w3: 0.4
        case .w5: 1.2
        case .w8, .w15b: 2
        case .w15a: 0.05
        case .w9Add, .w9Rename: 3
        case .w9Drop: 1
        case .w9Split: 0.7
        case .w6a, .w7a: 1.1
        case .w6b, .w11b, .w12a, .w12b: 0.5
        case .w7b: 0.75
        case .w11a, .w13b: 3
        case .w13a: 2.2
        case .w10Pack: 0.4
        case .w10Unpack: 0.7
        case .w11c, .storesXML: nil
        case .w14: 1.05
        case .w16: 2.5
        case .storesBinary, .storesMemory: 1
        case .memory: 0.1
        case .embeddingBulk: 1.2
        case .embeddingGet: 20
        case .startVersion: 15
        case .startInfo: 40
        }
    }

    var defaultSizes: [Int] {
        switch self {
        case .w1, .w2, .w2b, .w4, .w5, .w8, .w9Add, .w9Rename, .w9Drop, .w9Split, .w13a, .w13b, .w14:
            [100_000, 1_000_000]
        case .w3, .w6a, .w6b, .w7a, .w7b, .w11a, .w11b, .w11c, .w12a, .w12b, .storesBinary, .storesXML, .storesMemory,
            .embeddingBulk, .embeddingGet, .startVersion, .startInfo:
            [100_000]
        // Kilobytes.
        case .w10Pack, .w10Unpack: [1_000_000]
        case .memory: [1_000_000]
        case .w15a: [1_000_000]
        case .w15b: [100_000]
        case .w16: [300_000]
        }
    }

    /// What is compared.
    enum Quantity: String, Codable {
        case time
        /// Where durable writes dominate, the wall clock measures the disk.
        case processorTime
        case bytes
        /// Folio's own time; the ratio is told beside it.
        case milliseconds
    }

    var quantity: Quantity {
        switch self {
        case .w5: .processorTime
        case .w13a, .w13b, .memory: .bytes
        case .embeddingGet, .startVersion, .startInfo: .milliseconds
        default: .time
        }
    }

    /// The document that every round gets a copy of.
    enum Template: String {
        case empty, items, staff, values, archive
    }

    func template(for contestant: Contestant) -> Template {
        switch self {
        case .w1, .w16, .storesBinary, .storesXML, .storesMemory, .startVersion: .empty
        case .w10Pack: .values
        // What `cp` copies is the package.
        case .w10Unpack: contestant == .folio ? .archive : .values
        case .w3, .w6a, .w6b, .w7a, .w7b: .staff
        default: .items
        }
    }

    /// How often the timed operation is repeated in one process; times are for one of them.
    var repetitions: Int {
        switch self {
        case .w5: 200
        case .w8: 50
        default: 1
        }
    }
}

/// Who does the work.
enum Contestant: String, CaseIterable, Codable {
    case folio, hand
}
