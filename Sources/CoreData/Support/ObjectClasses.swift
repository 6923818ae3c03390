import Foundation

/// Finds the classes that models, mappings and attributes name, without registration.
enum ObjectClasses {
    /// The class with a name that is one of `Base` or inherits from it; nil where there is none.
    ///
    /// The name may have its module, `Module.Class`, or leave it out as Xcode does, `Class` and
    /// `.Class`; with a module that has no such class, it is looked for in all. Traps for a name
    /// that says not which of several classes it means.
    static func type<Base: AnyObject>(named name: String, as base: Base.Type) -> Base.Type? {
        let last = name.split(separator: ".").last.map(String.init) ?? name
        let found = ProgramClasses.named(last).compactMap { found in
            (found.type as? Base.Type).map { (type: $0, module: found.module) }
        }
        if let exact = found.first(where: { String(reflecting: $0.type) == name }) { return exact.type }
        let tops = found.filter { $0.module != nil }
        let candidates = tops.isEmpty ? found : tops
        if candidates.count > 1, let own = candidates.first(where: { $0.module == programModule }) { return own.type }
        precondition(
            candidates.count < 2,
            "The class \(name) may be \(candidates.map { String(reflecting: $0.type) }.sorted().formatted(.list(type: .or))): name it with its module"
        )
        return candidates.first?.type
    }

    /// The module of the program itself, which has the program's name.
    private static let programModule = (CommandLine.arguments.first ?? "").split(separator: "/").last.map {
        $0.replacingOccurrences(of: "-", with: "_")
    }
}
