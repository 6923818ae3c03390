-- Folio documents in Neovim, by way of `folio serve`: a sample of an editor's plug-in.
--
-- Copy this file to ~/.config/nvim/lua/folio.lua, and in Neovim:
--
--     :lua require("folio").open("Library.folio", "Book")
--
-- or load it where it is: :lua folio = dofile("…/Editors/folio.lua"); folio.open("Library.folio", "Book")
--
-- The first buffer lists objects, one a line. <CR> opens one as JSON, an attribute a line, and :w there sets the attributes
-- that were edited, as one step of undo. In the list, :w saves the document, u and <C-r> undo and redo, dd deletes, and the
-- title line shows what is unsaved.

local M = {}
local server, last, answers, partial = nil, 0, {}, ""
M.lists = {} -- by the document's name: buffer, entity, state

-- Values are kept as the JSON that the server sent: Lua's numbers would round integers above 2^53, and the JSON encoder
-- fractions.

-- The last byte of the JSON value that begins at a byte.
local function value_end(json, at)
  local depth = 0
  while true do
    local start, stop, mark = json:find('(["%[%]{},])', at)
    if not start then return #json end
    if mark == '"' then
      repeat
        start, stop = json:find('[\\"]', stop + 1)
        if json:sub(start, start) == "\\" then stop = stop + 1 end
      until json:sub(start, start) == '"'
      if depth == 0 then return stop end
    elseif mark == "[" or mark == "{" then
      depth = depth + 1
    elseif mark == "," then
      if depth == 0 then return start - 1 end
    else
      depth = depth - 1
      if depth < 0 then return start - 1 end
      if depth == 0 then return stop end
    end
    at = stop + 1
  end
end

-- The members of a JSON object, or the elements of an array, as JSON: a list of { key, value }.
local function parts(json)
  local found, at = {}, json:find("[%[{]") + 1
  while true do
    at = json:find("[^%s,]", at)
    if not at or json:sub(at, at):match("[%]}]") then return found end
    local key
    if json:sub(1, 1) == "{" then
      local stop = value_end(json, at)
      key = vim.json.decode(json:sub(at, stop))
      at = json:find("[^%s:]", stop + 1)
    end
    local stop = value_end(json, at)
    table.insert(found, { key = key, value = vim.trim(json:sub(at, stop)) })
    at = stop + 1
  end
end

local function member(json, key)
  for _, part in ipairs(parts(json)) do
    if part.key == key then return part.value end
  end
end

local function receive(_, data)
  data[1] = partial .. data[1]
  partial = table.remove(data)
  for _, line in ipairs(data) do
    local message = vim.json.decode(line)
    if message.id then
      message.json = line
      answers[message.id] = message
    elseif message.method == "document/changed" or message.method == "result/changed" then
      local list = M.lists[message.params.document]
      if list then
        list.state = message.method == "document/changed" and message.params or list.state
        vim.schedule(function() M.refresh(message.params.document) end)
      end
    elseif message.method == "document/conflict" then
      vim.schedule(function() vim.notify("another program has changed the document", vim.log.levels.WARN) end)
    end
  end
end

local function send(id, method, params)
  local json = { '"jsonrpc":"2.0"', '"method":' .. vim.json.encode(method) }
  if id then table.insert(json, '"id":' .. id) end
  if params then table.insert(json, '"params":' .. (type(params) == "string" and params or vim.json.encode(params))) end
  vim.fn.chansend(server, "{" .. table.concat(json, ",") .. "}\n")
end

-- Calls a method of the server and waits for the answer. Parameters are a table or JSON. Returns the result, and its JSON.
function M.call(method, params)
  if not server then
    server = vim.fn.jobstart({ vim.g.folio_command or "folio", "serve", "--stdio", "--lines" }, {
      on_stdout = receive,
      on_exit = function() server = nil end,
    })
    if server <= 0 then
      server = nil
      error("folio is not found: set vim.g.folio_command to it", 0)
    end
    M.call("initialize", vim.empty_dict())
    vim.api.nvim_create_autocmd("VimLeavePre", { callback = M.stop })
  end
  last = last + 1
  local id = last
  send(id, method, params)
  if not vim.wait(10000, function() return answers[id] ~= nil or not server end, 5) or not answers[id] then
    error("folio does not answer", 0)
  end
  local answer = answers[id]
  answers[id] = nil
  if answer.error then
    local data = answer.error.data or {}
    error("folio: " .. answer.error.message .. (data.hint and " (" .. data.hint .. ")" or ""), 0)
  end
  return answer.result, member(answer.json, "result")
end

-- Says goodbye; unsaved work is kept for the next opening.
function M.stop()
  if not server then return end
  M.call("shutdown")
  send(nil, "exit")
  vim.fn.jobwait({ server }, 5000)
end

local function buffer(name, lines, write)
  local number = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_name(number, name)
  vim.bo[number].buftype = "acwrite"
  vim.api.nvim_buf_set_lines(number, 0, -1, false, lines)
  vim.bo[number].modified = false
  vim.api.nvim_create_autocmd("BufWriteCmd", { buffer = number, callback = write })
  vim.api.nvim_set_current_buf(number)
  return number
end

local function short(id) return id:match("([^/]+/[^/]+)$") end

-- A cell of a line: a string without its quotes, anything else as the server sent it.
local function cell(json)
  if json:sub(1, 1) ~= '"' then return json end
  local text = vim.json.decode(json):gsub("[\n\r\t]", { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" })
  return text
end

-- Shows the objects and the state anew.
function M.refresh(document)
  local list = M.lists[document]
  if not list or not vim.api.nvim_buf_is_valid(list.buffer) then return end
  local _, result = M.call("result/rows", { watch = list.watch })
  local rows = parts(member(result, "rows"))
  local state = list.state
  local lines = { ("%s%s  %d %s  undo: %s"):format(state.hasUnsavedChanges and "* " or "", list.path, #rows,
    list.entity, state.undoName ~= "" and state.undoName or "–") }
  for _, row in ipairs(rows) do
    -- Without columns, a row is the name of an object.
    local values, cells = {}, {}
    if row.value:sub(1, 1) == "{" then
      for _, part in ipairs(parts(row.value)) do values[part.key] = part.value end
    else
      values.id = row.value
    end
    for _, column in ipairs(list.columns) do
      if values[column] ~= "null" then table.insert(cells, cell(values[column])) end
    end
    table.insert(lines, short(vim.json.decode(values.id)) .. "\t" .. table.concat(cells, "\t"))
  end
  vim.api.nvim_buf_set_lines(list.buffer, 0, -1, false, lines)
  vim.bo[list.buffer].modified = state.hasUnsavedChanges
end

-- Opens an object as JSON, an attribute a line.
function M.edit(document, id)
  local _, result = M.call("object/get", { document = document, ids = { id } })
  local attributes = parts(member(parts(result)[1].value, "attributes"))
  table.sort(attributes, function(a, b) return a.key < b.key end)
  local lines, known = { "{" }, {}
  for index, attribute in ipairs(attributes) do
    known[attribute.key] = attribute.value
    local comma = index < #attributes and "," or ""
    table.insert(lines, ("  %s: %s%s"):format(vim.json.encode(attribute.key), attribute.value, comma))
  end
  table.insert(lines, "}")
  local number
  number = buffer("folio://" .. document .. "/" .. id, lines, function()
    local text = vim.trim(table.concat(vim.api.nvim_buf_get_lines(number, 0, -1, false), "\n"))
    -- A mistake is told before anything is sent.
    vim.json.decode(text)
    local edited = {}
    for _, part in ipairs(parts(text)) do
      if known[part.key] ~= part.value then
        known[part.key] = part.value
        table.insert(edited, vim.json.encode(part.key) .. ":" .. part.value)
      end
    end
    if #edited > 0 then
      M.call("object/set", ('{"document":%s,"name":%s,"edits":[{"id":%s,"values":{%s}}]}'):format(
        vim.json.encode(document), vim.json.encode("Edit " .. short(id)), vim.json.encode(id), table.concat(edited, ",")))
    end
    vim.bo[number].modified = false
  end)
  return number
end

-- Opens a document and lists the objects of an entity. Where an editor left unsaved work, that is taken up.
function M.open(path, entity)
  local info = M.call("document/open", { path = path, recovery = "keep" })
  local document, columns, names = info.document, {}, {}
  for _, described in ipairs(M.call("model/describe", { document = document }).entities) do
    names[described.name] = true
    for _, attribute in ipairs(described.name == entity and described.attributes or {}) do
      if attribute.type == "String" or attribute.type:match("^Integer") then table.insert(columns, attribute.name) end
    end
  end
  if not names[entity] then
    M.call("document/close", { document = document })
    names = vim.tbl_keys(names)
    table.sort(names)
    error(("%s has no entity %s: it has %s"):format(path, entity or "nil", table.concat(names, ", ")), 0)
  end
  local watch = M.call("result/watch",
    { document = document, entity = entity, columns = #columns > 0 and columns or nil, sort = columns[1] })
  local number = buffer("folio://" .. path, {}, function()
    M.call("document/save", { document = document })
    M.lists[document].state.hasUnsavedChanges = false
    M.refresh(document)
  end)
  M.lists[document] = { buffer = number, entity = entity, watch = watch.watch, columns = columns, path = path, state = info }
  local function map(keys, action) vim.keymap.set("n", keys, action, { buffer = number }) end
  local function id() return vim.api.nvim_get_current_line():match("^([^/%s]+/[pt]%d+)") end
  map("<CR>", function() if id() then M.edit(document, id()) end end)
  map("dd", function() if id() then M.call("object/delete", { document = document, ids = { id() }, name = "Delete" }) end end)
  map("u", function() M.call("undo", { document = document }) end)
  map("<C-r>", function() M.call("redo", { document = document }) end)
  M.refresh(document)
  return document
end

return M
