import Folio
import Foundation
import TestSupport
import Testing

/// Two processes with a container each on one store: a container takes the store's lock for each
/// transaction, and whoever comes second meets a conflict.
struct TwoProcessesTests {
    @Model final class Account: ManagedObject {
        @Attribute(.unique) var name: String
        var balance: Int = 0
        var note: String?
        @Relationship(deleteRule: .cascade, inverse: \Booking.account) var bookings: Set<Booking>
    }

    @Model final class Booking: ManagedObject {
        var amount: Int = 0
        var teller: String?
        var account: Account?
    }

    private static let part = ProcessInfo.processInfo.environment["FOLIO_TEST_PART"]
    private static let path = ProcessInfo.processInfo.environment["FOLIO_TEST_PATH"] ?? ""
    private static let bookingCount = 40

    private static func container(_ url: URL) throws -> PersistentContainer {
        let container = try PersistentContainer(name: "Bank", schema: [Account.self])
        container.persistentStoreDescriptions = [PersistentStoreDescription(url: url)]
        try container.loadPersistentStores()
        return container
    }

    private static func play(_ part: String, _ url: URL) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--testing-library", "swift-testing", "--filter", "TwoProcessesTests/playPart"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "FOLIO_TEST_PART": part, "FOLIO_TEST_PATH": url.path, "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Another process does something and ends.
    private func elsewhere(_ part: String, _ url: URL) throws {
        let process = try Self.play(part, url)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    private func withAccount(_ body: (URL, PersistentContainer, Account) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("Bank.sqlite")
            let container = try Self.container(url)
            let account = Account(context: container.viewContext)
            account.name = "main"
            try container.viewContext.save()
            try body(url, container, account)
        }
    }

    /// Books one by one; where the other process came first, with the balance as it is now.
    private static func book(_ teller: String, _ container: PersistentContainer) throws -> Int {
        let context = container.newBackgroundContext()
        let account = try #require(try context.first(Account.self, where: \.name == "main"))
        var conflicts = 0
        for amount in 1...bookingCount {
            let booking = Booking(context: context)
            (booking.amount, booking.teller, booking.account) = (amount, teller, account)
            while true {
                account.balance += amount
                do {
                    try context.save()
                    break
                } catch let error as GraphError where error.code == .conflict {
                    conflicts += 1
                    context.refresh(account, mergeChanges: false)
                    booking.account = account
                }
            }
        }
        return conflicts
    }

    @Test(.enabled(if: part != nil)) func playPart() throws {
        let container = try Self.container(URL(fileURLWithPath: Self.path))
        let account = try #require(try container.viewContext.first(Account.self, where: \.name == "main"))
        switch Self.part {
        case "set": (account.balance, account.note) = (50, "from elsewhere")
        case "delete": container.viewContext.delete(account)
        case "duplicate": Account(context: container.viewContext).name = "second"
        case "book": _ = try Self.book("other", container)
        default: break
        }
        try container.viewContext.save()
    }
}

extension TwoProcessesTests {
    @Test(.enabled(if: part == nil)) func whatAnotherProcessSavedIsAConflictAndIsMerged_S9_S13_S17() throws {
        try withAccount { url, container, account in
            let context = container.viewContext
            account.balance = 1
            try elsewhere("set", url)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict && error?.conflicts.first?.persistedSnapshot?["balance"] == .int(50))
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(account.balance == 1 && account.note == "from elsewhere")
            account.balance = 2
            try elsewhere("set", url)
            context.mergePolicy = .mergeByPropertyStoreTrump
            try context.save()
            #expect(account.balance == 50 && !context.hasChanges)
        }
    }

    @Test(.enabled(if: part == nil)) func whatAnotherProcessDeletedIsGone_S18_F19() throws {
        try withAccount { url, container, account in
            let context = container.viewContext
            account.balance = 1
            try elsewhere("delete", url)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict && error?.conflicts.first?.newVersion == 0)
            context.mergePolicy = .rollback
            try context.save()
            #expect(try context.count(Account.self) == 0 && account.managedObjectContext == nil)
        }
    }

    @Test(.enabled(if: part == nil)) func whatAnotherProcessMadeIsNotMadeTwice_S24_S28() throws {
        try withAccount { url, container, _ in
            let context = container.viewContext
            let second = Account(context: context)
            (second.name, second.balance) = ("second", 7)
            try elsewhere("duplicate", url)
            #expect(#expect(throws: GraphError.self) { try context.save() }?.code == .constraint)
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            let again = try Self.container(url).viewContext
            #expect(
                try again.count(Account.self) == 2 && again.first(Account.self, where: \.name == "second")?.balance == 7
            )
        }
    }

    @Test(.enabled(if: part == nil)) func noBookingOfTwoProcessesIsLost_S9_S49() throws {
        try withAccount { url, container, _ in
            let other = try Self.play("book", url)
            _ = try Self.book("own", container)
            other.waitUntilExit()
            #expect(other.terminationStatus == 0)
            let context = try Self.container(url).viewContext
            let account = try #require(try context.first(Account.self))
            let sum = Self.bookingCount * (Self.bookingCount + 1) / 2
            #expect(account.balance == 2 * sum && account.bookings.count == 2 * Self.bookingCount)
            for teller in ["own", "other"] {
                #expect(account.bookings.filter { $0.teller == teller }.reduce(0) { $0 + $1.amount } == sum)
            }
        }
    }
}
