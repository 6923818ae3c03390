/// An error that a store of the application's own has thrown. It arrives at the application as it
/// is.
struct StoreCallError: Error, CustomStringConvertible {
    let error: any Error

    init(_ error: any Error) { self.error = error }

    var description: String { "\(error)" }
}
