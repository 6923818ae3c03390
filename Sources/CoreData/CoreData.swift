// Core Data's names over Folio: files that say `import CoreData` on Apple's platforms find the same
// types here, with Foundation, as there.
// The members that objects and their IDs have from Folio belong to them; its other names stay
// outside.
@_exported public import Foundation
public import Folio
@_exported public import class ObjectGraph.ManagedObject
@_exported public import class ObjectGraph.UndoManager
@_exported public import struct Schema.ManagedObjectID

/// The identity of an object: its store, its entity and its primary key. A value here, and a class
/// on Apple's platforms.
public typealias NSManagedObjectID = Folio.ManagedObjectID
