public import Foundation
public import ObjectGraph
public import Schema

/// What can be fetched: objects, their IDs, dictionaries and numbers.
public protocol NSFetchRequestResult {}

extension ManagedObject: NSFetchRequestResult {}
extension ManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
extension Dictionary: NSFetchRequestResult {}
