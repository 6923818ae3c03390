import AtomicStores
import Foundation
import ModelFiles
import ObjectGraph
import Schema
import SQLiteStore
import Stack
import Storage
import TestSupport
import Testing

/// The kinds of stores that keep the contract.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, binary, xml, inMemory
    /// An application's own kind: the sample of an ``AtomicStore``.
    case folder
    /// The same of an ``IncrementalStore``.
    case objects

    /// Those that tests run over: without sweeps one that works by queries, and one whose objects
    /// are all in memory.
    static let allCases: [StoreKind] = sweep(
        [.sqlite, .inMemory], all: [.sqlite, .binary, .xml, .inMemory, .folder, .objects])
    static let builtIn: [StoreKind] = [.sqlite, .binary, .xml, .inMemory]

    var testDescription: String { rawValue }

    /// Whether there is a file to open again.
    var hasFile: Bool { self != .inMemory }

    // A key path in the arguments of a test does not compile in an extension.
    static let inFiles = allCases.filter(\.hasFile)
    static let builtInFiles = builtIn.filter(\.hasFile)

    /// Whether the file carries its model.
    var carriesModel: Bool { self == .sqlite || self == .binary }

    var factory: StoreFactory {
        switch self {
        case .sqlite: SQLitePersistentStore.factory
        case .inMemory: AtomicPersistentStore.inMemoryFactory
        case .xml: AtomicPersistentStore.xmlFactory
        case .folder: AtomicPersistentStore.customFactory(JSONFolderStore.self)
        case .objects: IncrementalPersistentStore.factory(JSONObjectStore.self)
        case .binary:
            AtomicPersistentStore.binaryFactory(
                ModelCoding(encode: { try ModelCache.encode($0) }, decode: { try ModelCache.decode($0) }))
        }
    }
}

extension PersistentStoreCoordinator {
    /// Makes the coordinator open the samples of stores too.
    func registerSamples() {
        register(JSONFolderStore.self)
        register(JSONObjectStore.self)
    }
}
