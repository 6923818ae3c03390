import Foundation

extension ParsedArguments {
    /// Files, documents and models that a command line may name to be read.
    ///
    /// A word that is no path is among them where it could be one.
    func sources(of command: CommandSpecification) -> [String] {
        let options = command.options.filter {
            ["FILE", "MODEL"].contains($0.value) && $0.names != OptionSpecification.output.names
        }
        return operands.flatMap { word in
            var paths = [word]
            if command.takesAssignments, let match = word.wholeMatch(of: /(?s)[^=]*=@(.+)/) {
                paths.append(String(match.1))
            }
            if command.takesFiles, let parts = ImportFile.parts(of: word) { paths.append(parts.path) }
            return paths
        } + options.flatMap { all($0.names[0]) }
    }

    /// - Throws: a usage error where standard input stands for two files.
    func checkStandardInput(of command: CommandSpecification) throws {
        guard command.takesAssignments || command.takesFiles, sources(of: command).filter({ $0 == "-" }).count > 1
        else { return }
        throw CommandError.usage(
            "standard input is one file: - stands there twice", hint: "give the other one by its path")
    }

    /// The documents that a command makes: nothing has to be there yet.
    func targets(of command: CommandSpecification) -> [String] {
        command.option(named: OptionSpecification.force.names[0]) == nil ? [] : operands
    }
}

extension CommandSpecification {
    fileprivate var takesAssignments: Bool { operands.contains("KEY=VALUE") }
    fileprivate var takesFiles: Bool { operands.contains("FILE…") }
}
