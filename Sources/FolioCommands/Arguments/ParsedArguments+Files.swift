import Foundation

extension ParsedArguments {
    /// Files, documents and models that a command line may name to be read.
    ///
    /// A word that is no path is among them where it could be one.
    func sources(of command: CommandSpecification) -> [String] {
        let options = command.options.filter { ["FILE", "MODEL"].contains($0.value) && $0.names != OptionSpecification.output.names }
        let takesAssignments = command.operands.contains("KEY=VALUE"), takesEntities = command.operands.contains("FILE…")
        return operands.flatMap { word in
            var paths = [word]
            if takesAssignments, let match = word.wholeMatch(of: /(?s)[^=]*=@(.+)/) { paths.append(String(match.1)) }
            if takesEntities, let parts = ImportFile.parts(of: word) { paths.append(parts.path) }
            return paths
        } + options.flatMap { all($0.names[0]) }
    }

    /// The documents that a command makes: nothing has to be there yet.
    func targets(of command: CommandSpecification) -> [String] {
        command.option(named: OptionSpecification.force.names[0]) == nil ? [] : operands
    }
}
