/** The texts of a source: all of its literals, and of the console JSX text and the literals that a reader sees. */

const transpiler = new Bun.Transpiler({
  loader: "tsx",
  tsconfig: JSON.stringify({ compilerOptions: { jsx: "react-jsx", jsxImportSource: "preact" } })
})

interface Literal {
  /** As written, with `{}` in a template where it has a value. */
  readonly text: string
  /** The code before the literal, which shows its role. */
  readonly before: string
}

/** Endings of code before a regular expression, where a slash cannot divide. */
const beforePattern = /(?:[(,=:[!&|?{};]|return)\s*$/

const pattern = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y

/** Reads all literals of JavaScript from `from`, up to the brace that closes the code around it. */
const scan = (code: string, from: number, found: Array<Literal>): number => {
  let depth = 0
  let at = from
  const matched = (what: RegExp) => {
    what.lastIndex = at
    return what.exec(code)?.[0]
  }
  while (at < code.length) {
    const before = code.slice(Math.max(0, at - 60), at)
    const sign = code[at]
    if (sign === "`") {
      at = scanTemplate(code, at, before, found)
      continue
    }
    const text = matched(quoted)
    if (text !== undefined) found.push({ before, text: text.slice(1, -1) })
    const skipped = text ?? (beforePattern.test(before) ? matched(pattern) : undefined)
    if (sign === "{") depth++
    if (sign === "}" && depth-- === 0) return at
    at += skipped?.length ?? 1
  }
  return at
}

/** A template is one text, with `{}` for its values; literals within its values are texts of their own. */
const scanTemplate = (code: string, from: number, before: string, found: Array<Literal>): number => {
  let at = from + 1
  let text = ""
  while (at < code.length && code[at] !== "`") {
    if (code.startsWith("${", at)) {
      at = scan(code, at + 2, found) + 1
      text += "{}"
    } else {
      const length = code[at] === "\\" ? 2 : 1
      text += code.slice(at, at + length)
      at += length
    }
  }
  found.push({ before, text })
  return at + 1
}

/** Literals that the page compares, imports, or has as classes and attributes of the markup. */
const isCode = ({ before }: Literal) =>
  /(?:[=!]==\s*|\b(?:from|import|case)\s+|\b(?:class|kind|role|type|tone|href|d|segment|inputMode|method|path|rel|accept)(?:"?:|\s*=)\s*)$/.test(
    before
  )

/** A single word is a text if its place shows it. */
const isNamed = ({ before }: Literal) =>
  /(?:\bplural\([^()]*(?:\([^()]*\)[^()]*)*,\s*|\b(?:children|label|title|name|text|caption|action|hint|summary|words|means)"?:\s*)$/.test(
    before
  )

const isProse = ({ text }: Literal) => /\p{L}/u.test(text) && (/\s/.test(text) || /^\p{Lu}\p{Ll}/u.test(text))

/** All literals of a source, without its comments. */
export const literalsOf = (source: string, loader: "ts" | "tsx" = "ts"): ReadonlyArray<Literal> => {
  const found: Array<Literal> = []
  scan(transpiler.transformSync(source, loader), 0, found)
  return found.map(({ before, text }) => ({ before, text: text.replaceAll("\\n", " ").replaceAll('\\"', '"') }))
}

/** The texts of a source of the console that people read. */
export const textsOf = (source: string, loader: "ts" | "tsx" = "tsx"): ReadonlyArray<string> =>
  literalsOf(source, loader)
    .filter((literal) => !isCode(literal) && (isProse(literal) || isNamed(literal)))
    .map(({ text }) => text)
