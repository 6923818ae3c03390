import Folio

extension ObjectSelection {
    /// The option for a predicate.
    static let whereOption = OptionSpecification(
        ["--where"], value: "PREDICATE",
        "a condition in predicate format, such as 'year > 1960 AND author.name BEGINSWITH \"H\"'; of several all have to hold",
        repetition: .allowed)
}

extension VariableValues {
    static let option = OptionSpecification(
        ["--with"], value: "NAME=VALUE",
        "the value of a variable $NAME in --where or in the template; given several times, a list for IN",
        repetition: .allowed)

    /// - Throws: A usage error for a value without a name.
    init(_ arguments: ParsedArguments) throws { try self.init(arguments.all(Self.option.names[0])) }
}
