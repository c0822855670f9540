/** Where a text stops being JSON, as a 0-based offset, and what was wanted there. */
interface JsonError {
  readonly offset: number
  readonly expected: string
}

const blank = /[\t\n\r ]*/y
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)(?![\w.+-])/y

/** The end of a token at `at`, or -1 when it does not stand there. */
const end = (token: RegExp, text: string, at: number): number => {
  token.lastIndex = at
  return token.test(text) ? token.lastIndex : -1
}

const escape = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y

/** The end of the quoted string at `at`, or -1; a loop, since strings may be longer than a pattern has patience for. */
const endOfString = (text: string, from: number): number => {
  if (text[from] !== '"') return -1
  for (let at = from + 1; at < text.length; ) {
    const char = text.charCodeAt(at)
    if (char === 0x22) return at + 1
    if (char < 0x20) return -1
    at = char === 0x5c ? end(escape, text, at) : at + 1
    if (at === -1) return -1
  }
  return -1
}

/** Finds the first place where a text breaks the grammar of JSON (RFC 8259), without recursion; null when it never does. */
export const jsonError = (text: string): JsonError | null => {
  const open: Array<"{" | "["> = []
  let at = end(blank, text, 0)
  let wanted: "value" | "value or ]" | "key" | "key or }" | "comma" = "value"
  const skip = (to: number) => {
    at = end(blank, text, to)
  }
  for (;;) {
    const char = text[at]
    if (wanted === "comma") {
      const inside = open.at(-1)
      if (inside === undefined) return at === text.length ? null : { offset: at, expected: "the end" }
      if (char === (inside === "{" ? "}" : "]")) open.pop()
      else if (char === ",") wanted = inside === "{" ? "key" : "value"
      else return { offset: at, expected: inside === "{" ? "a comma or }" : "a comma or ]" }
      skip(at + 1)
    } else if (wanted === "key" || wanted === "key or }") {
      if (wanted === "key or }" && char === "}") {
        open.pop()
        wanted = "comma"
        skip(at + 1)
        continue
      }
      const after = endOfString(text, at)
      if (after === -1) return { offset: at, expected: "a quoted key" }
      skip(after)
      if (text[at] !== ":") return { offset: at, expected: "a colon" }
      wanted = "value"
      skip(at + 1)
    } else if (char === "{" || char === "[") {
      open.push(char)
      wanted = char === "{" ? "key or }" : "value or ]"
      skip(at + 1)
    } else if (wanted === "value or ]" && char === "]") {
      open.pop()
      wanted = "comma"
      skip(at + 1)
    } else {
      const after = char === '"' ? endOfString(text, at) : end(scalar, text, at)
      if (after === -1) return { offset: at, expected: "a value" }
      wanted = "comma"
      skip(after)
    }
  }
}
