// All commands use the JSON values of Coding, so they are visible in all files of this module.
@_exported public import Coding
