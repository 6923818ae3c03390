/// The result of an initializer that makes an instance of a class of its own choice.
///
/// `NSPredicate(format:)` gives a comparison or a compound predicate, as on Apple's platforms. An
/// initializer of a subclass can't do that, which is said here.
func instance<Wanted>(_ made: Any, of wanted: Wanted.Type = Wanted.self) -> Wanted {
    guard let instance = made as? Wanted else {
        preconditionFailure("This initializer makes a \(type(of: made)): call it as one of its superclass")
    }
    return instance
}
