// All commands use the JSON values of Coding, and what Interchange has, so they are visible in all
// files of this module.
@_exported public import Coding
@_exported public import Interchange
