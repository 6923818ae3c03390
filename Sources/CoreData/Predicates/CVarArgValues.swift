public import Foundation

// Values that Apple's platforms pass to a predicate `as CVarArg`: there every object is one. The
// predicate takes the value itself; a C format, which knows none of them on Linux, shows `(null)`.

extension Date: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension UUID: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension URL: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension Data: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension Decimal: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension Array: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension Set: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSNumber: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSDate: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSArray: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSSet: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSOrderedSet: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSURL: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSUUID: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSData: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSNull: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
