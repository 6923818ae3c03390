// The one module that users import: everything public of the modules below.
@_exported public import DocumentFiles
@_exported public import DocumentKit
@_exported public import FileMigration
@_exported public import Merging
@_exported public import Migration
@_exported public import ModelFiles
@_exported public import ObjectGraph
@_exported public import Query
@_exported public import SQLiteStore
@_exported public import Schema
@_exported public import Stack
@_exported public import Storage
