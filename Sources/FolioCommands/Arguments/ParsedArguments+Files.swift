import Foundation

extension ParsedArguments {
    /// The files, documents and models that a command line may read.
    ///
    /// Operands that may be paths are included, even if they turn out to be something else.
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

    /// The paths of the command line as they were typed, without the names of states and versions.
    func typedPaths(of command: CommandSpecification) -> [String] {
        (sources(of: command) + all(OptionSpecification.output.names[0])).flatMap { word in
            [word, DocumentArgument(word).path, String(word.prefix { $0 != "#" })]
        }
    }

    /// - Throws: A usage error if standard input is used for two files.
    func checkStandardInput(of command: CommandSpecification) throws {
        guard command.takesAssignments || command.takesFiles, sources(of: command).filter({ $0 == "-" }).count > 1
        else { return }
        throw InterchangeError.usage(
            "standard input is one file: - stands there twice", hint: "give the other one by its path")
    }

    /// - Throws: `unsupported` for a URL in the place of a file.
    func refuseURLs(of command: CommandSpecification) throws {
        let places: Set<String> = ["DOC", "DOC@n", "MODEL", "FILE", "NEW", "DIR", "ARCHIVE", "FOLDER"]
        let pattern = OperandPattern(usage(of: command), options: command.options)
        var words = operands.enumerated().filter { index, _ in
            index == 0 || pattern.words(at: index).contains { places.contains($0) }
        }.map(\.element)
        for option in command.options where option.value.map({ places.contains($0) }) ?? false {
            words += all(option.names[0])
        }
        for word in words { try DocumentArgument.refuseURL(ImportFile.parts(of: word)?.path ?? word) }
    }

    /// The usage of the command, or of its subcommand.
    private func usage(of command: CommandSpecification) -> String {
        guard let subcommand = (try? subcommand(of: command)) ?? nil else { return command.operands }
        return subcommand.name + " " + subcommand.operands
    }

    /// The documents that the command creates. They need not exist.
    func targets(of command: CommandSpecification) -> [String] {
        command.option(named: OptionSpecification.force.names[0]) == nil ? [] : operands
    }
}

extension CommandSpecification {
    fileprivate var takesAssignments: Bool { operands.contains("KEY=VALUE") }
    fileprivate var takesFiles: Bool { operands.contains("FILE…") }
}
