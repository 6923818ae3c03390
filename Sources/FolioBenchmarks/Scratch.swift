import Folio
import Foundation

final class PlainObject { var number: Int64 = 0; var name: String = "" }

enum Scratch {
    static func time(_ label: String, _ per: Int, _ body: () throws -> Void) rethrows {
        let clock = ContinuousClock()
        var best = Double.infinity
        for _ in 0..<1 {
            let start = clock.now
            try body()
            let d = clock.now - start
            best = min(best, Double(d.components.seconds) * 1e9 + Double(d.components.attoseconds) / 1e9)
        }
        print(label, String(format: "%.1f ns each, %.1f ms", best / Double(per), best / 1e6))
    }

    static func run() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription("Department", attributes: [.init("name", .string)], relationships: [.init("employees", to: "Employee", inverse: "department", maxCount: 0, deleteRule: .cascade)]),
            EntityDescription("Employee", attributes: [.init("name", .string), .init("salary", .integer64)], relationships: [.init("department", to: "Department", inverse: "employees")]),
        ])
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("scratch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addPersistentStore(PersistentStoreDescription(url: folder.appendingPathComponent("a.sqlite")))
        let employee = model.entity(named: "Employee")!, department = model.entity(named: "Department")!
        let name = try employee.attribute("name", as: String.self), salary = try employee.attribute("salary", as: Int64.self)
        let boss = try employee.toOne("department"), staff = try department.toMany("employees")
        let n = 100_000
        do {
            let context = ManagedObjectContext(coordinator)
            var all: [ManagedObject] = []
            try time("insert with department", n) {
                for d in 0..<1000 {
                    let dep = try context.insert(department)
                    for e in 0..<100 {
                        let emp = try context.insert(employee)
                        emp[name] = "e\(e)"
                        emp[salary] = Int64(d * e)
                        emp[boss] = dep
                        all.append(emp)
                    }
                }
            }
            try time("save", n) { try context.save() }
            context.undoManager = UndoManager()
            time("change", n) { for e in all { e[salary] = 7 } }
            time("process", n) { context.processPendingChanges() }
            time("undo", n) { context.undo() }
            time("redo", n) { context.redo() }
            time("undo", n) { context.undo() }
            context.undoManager = nil
            let e = all[0]
            var sum: Int64 = 0
            let plain = [PlainObject(), PlainObject()]
            time("get int64", 10_000_000) { for i in 0..<10_000_000 { sum &+= all[i & 1023][salary] ?? 0 } }
            time("plain get", 10_000_000) { for i in 0..<10_000_000 { sum &+= plain[i & 1].number } }
            var length = 0
            time("get string", 10_000_000) { for i in 0..<10_000_000 { length &+= (all[i & 1023][name] ?? "").utf8.count } }
            time("plain get string", 10_000_000) { for i in 0..<10_000_000 { length &+= plain[i & 1].name.utf8.count } }
            time("set int64", 1_000_000) { for i in 0..<1_000_000 { e[salary] = Int64(i) } }
            time("set string", 1_000_000) { for _ in 0..<1_000_000 { e[name] = "abc" } }
            var dictionary: [String: Any] = ["salary": Int64(0), "name": ""]
            time("dictionary set int64", 1_000_000) { for i in 0..<1_000_000 { dictionary["salary"] = Int64(i) } }
            time("value(forKey:)", 1_000_000) { for _ in 0..<1_000_000 { sum &+= Int64(e["salary"] as? Int ?? 0) } }
            print(sum, length, dictionary.count)
            context.rollback()
        }
        do {
            let context = ManagedObjectContext(coordinator)
            var request = FetchRequest<ManagedObject>("Department")
            request.relationshipKeyPathsForPrefetching = ["employees"]
            var length = 0
            try time("W6a prefetch", n) {
                for d in try context.fetch(request) { for e in d[staff] { length &+= (e[name] ?? "").utf8.count } }
            }
            print(length)
        }
        do {
            let context = ManagedObjectContext(coordinator)
            var length = 0
            try time("W6b lazily", n) {
                for d in try context.fetch(FetchRequest<ManagedObject>("Department")) { for e in d[staff] { length &+= (e[name] ?? "").utf8.count } }
            }
            print(length)
        }
        do {
            let context = ManagedObjectContext(coordinator)
            var deps: [ManagedObject] = []
            try time("W7 fetch", n) { deps = try context.fetch(FetchRequest<ManagedObject>("Department")) }
            time("W7 delete", n) { for d in deps { context.delete(d) } }
            time("W7 process", n) { context.processPendingChanges() }
            try time("W7 save", n) { try context.save() }
        }
    }
}
