/** The requests that the sources of the console contain: methods and paths, with `{}` for each value in a path. */
import { resolve } from "node:path"
import { Glob } from "bun"

const folder = resolve(import.meta.dir, "../../../../src/app/console/browser")

const transpiler = new Bun.Transpiler({
  loader: "tsx",
  tsconfig: JSON.stringify({ compilerOptions: { jsx: "react-jsx", jsxImportSource: "preact" } })
})

/** A named function of a source: its parameters and its body as ranges of the code. */
interface Named {
  readonly name: string
  readonly parameters: ReadonlyArray<string>
  readonly from: number
  readonly to: number
}

interface Source {
  readonly file: string
  readonly code: string
  readonly functions: ReadonlyArray<Named>
}

/** A request: the method, and the path without its parameters. */
export interface Requested {
  readonly file: string
  readonly method: string
  readonly path: string
}

/** The index behind the text, template or bracket that begins at `at`; the next index for any other character. */
const skip = (code: string, at: number): number => {
  const sign = code[at] ?? ""
  if (sign === '"' || sign === "'") {
    let end = at + 1
    while (end < code.length && code[end] !== sign) end += code[end] === "\\" ? 2 : 1
    return end + 1
  }
  if (sign === "`") {
    let end = at + 1
    while (end < code.length && code[end] !== "`")
      end = code.startsWith("${", end) ? skip(code, end + 1) : end + (code[end] === "\\" ? 2 : 1)
    return end + 1
  }
  if ("([{".includes(sign) && sign !== "") {
    let end = at + 1
    while (end < code.length && !")]}".includes(code[end] ?? "")) end = skip(code, end)
    return end + 1
  }
  const pattern = sign === "/" ? patternAt(code, at) : 0
  return at + Math.max(1, pattern)
}

/** The length of a regular expression; 0 for a division. */
const patternAt = (code: string, at: number): number => {
  if (!/(?:[(,=:[!&|?{};]|return)\s*$/.test(code.slice(Math.max(0, at - 20), at))) return 0
  const pattern = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
  pattern.lastIndex = at
  return pattern.exec(code)?.[0].length ?? 0
}

/** The first index from `at` that is outside of brackets and texts and fulfils a condition. */
const find = (code: string, at: number, is: (at: number) => boolean): number => {
  let index = at
  while (index < code.length && !is(index)) index = skip(code, index)
  return index
}

/** The parts of a list between commas. */
const partsOf = (list: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let at = 0; at < list.length; ) {
    const end = find(list, at, (index) => list[index] === ",")
    parts.push(list.slice(at, end).trim())
    at = end + 1
  }
  return parts
}

/** The content of the bracket at `at`. */
const inside = (code: string, at: number) => code.slice(at + 1, skip(code, at) - 1)

/** The end of the expression that begins at `at`. */
const endOf = (code: string, at: number) => find(code, at, (index) => /[;,)\]}]/.test(code[index] ?? ""))

const functionsOf = (code: string): ReadonlyArray<Named> =>
  Array.from(code.matchAll(/\bconst (\w+) = (?:async )?\(/g)).flatMap(({ 0: text, 1: name = "", index }) => {
    const open = index + text.length - 1
    const arrow = /^\s*=>\s*/.exec(code.slice(skip(code, open)))
    if (arrow === null) return []
    const from = skip(code, open) + arrow[0].length
    const parameters = partsOf(inside(code, open))
    return [{ from, name, parameters, to: code[from] === "{" ? skip(code, from) : endOf(code, from) }]
  })

/** Values of an expression that cannot be read: any one segment of a path. */
const unknown = ["{}"]

/** Reads the requests of sources. */
export const requestsOf = (files: Readonly<Record<string, string>>): ReadonlyArray<Requested> => {
  const sources: ReadonlyArray<Source> = Object.entries(files).map(([file, text]) => {
    const code = transpiler.transformSync(text, file.endsWith(".tsx") ? "tsx" : "ts")
    return { code, file, functions: functionsOf(code) }
  })

  const isExported = ({ code }: Source, name: string) =>
    new RegExp(`export const ${name}\\b|export \\{[^}]*\\b${name}\\b`).test(code)

  /** The values of a parameter, from all calls of its function and all uses of its component. */
  const given = (source: Source, { name, parameters }: Named, wanted: string, depth: number) => {
    const at = parameters.findIndex((one) => one === wanted || one.startsWith(`${wanted} =`))
    const names = parameters.map((one) => (one.startsWith("{") ? partsOf(inside(one, 0)) : []))
    // A component may rename what it is given: `path: place`.
    const renamed = names.flat().find((one) => one === wanted || one.endsWith(`: ${wanted}`))
    if (at < 0 && renamed === undefined) return null
    const property = renamed?.split(":")[0]?.trim() ?? ""
    const callers = sources.filter(
      (other) =>
        other === source ||
        (isExported(source, name) && !other.functions.some((one) => one.name === name && !isExported(other, name)))
    )
    return callers.flatMap((caller) => {
      const calls = Array.from(caller.code.matchAll(new RegExp(`(?<![\\w.])(?:jsx\\w*\\(${name}, |${name}\\()`, "g")))
      return calls.flatMap(({ 0: text, index }) => {
        const open = index + text.indexOf("(")
        const list = partsOf(inside(caller.code, open))
        const value = text.startsWith(name) && at >= 0 ? list[at] : undefined
        const fields = list.find((one) => one.startsWith("{"))
        const field =
          fields === undefined || at >= 0
            ? undefined
            : partsOf(inside(fields, 0)).find((one) => one === property || one.startsWith(`${property}:`))
        const found = value ?? (field === property ? field : field?.slice(property.length + 1).trim())
        return found === undefined ? [] : valuesOf(caller, open, found, depth + 1)
      })
    })
  }

  const named = (source: Source, at: number, name: string, depth: number): ReadonlyArray<string> => {
    const around = source.functions.filter(({ from, to }) => from <= at && at <= to).toSorted((a, b) => b.from - a.from)
    const spans = [...around, undefined]
    for (const one of spans) {
      const from = one?.from ?? 0
      const before = source.code.slice(from, one === undefined ? undefined : at)
      const single = Array.from(before.matchAll(new RegExp(`\\b(?:const|let) ${name} = `, "g"))).at(-1)
      if (single !== undefined) {
        const start = from + single.index + single[0].length
        return valuesOf(source, start, source.code.slice(start, endOf(source.code, start)), depth + 1)
      }
      for (const { 0: text, 1: list = "", index } of before.matchAll(/\bconst \[([\w, ]+)\] = \[/g)) {
        const place = list.split(",").findIndex((one) => one.trim() === name)
        const open = from + index + text.length - 1
        const value = place < 0 ? undefined : partsOf(inside(source.code, open))[place]
        if (value !== undefined) return valuesOf(source, open, value, depth + 1)
      }
      const values = one === undefined ? null : given(source, one, name, depth)
      if (values !== null) return values.length === 0 ? unknown : values
    }
    return unknown
  }

  /** All values that an expression may have. */
  const valuesOf = (source: Source, at: number, expression: string, depth = 0): ReadonlyArray<string> => {
    const text = expression.trim()
    if (depth > 8) return unknown
    const question = find(text, 0, (index) => text[index] === "?" && !/[.?]/.test(text[index + 1] ?? ""))
    if (question < text.length) {
      const colon = find(text, question + 1, (index) => text[index] === ":")
      return [text.slice(question + 1, colon), text.slice(colon + 1)].flatMap((one) => valuesOf(source, at, one, depth))
    }
    if (text.startsWith("(") && skip(text, 0) === text.length) return valuesOf(source, at, inside(text, 0), depth)
    if (/^["'].*["']$/s.test(text)) return [text.slice(1, -1)]
    if (text.startsWith("`")) {
      let values: ReadonlyArray<string> = [""]
      const add = (more: ReadonlyArray<string>) => {
        values = values.flatMap((value) => more.map((one) => value + one))
      }
      for (let index = 1; index < text.length - 1; ) {
        if (text.startsWith("${", index)) {
          add(valuesOf(source, at, inside(text, index + 1), depth))
          index = skip(text, index + 1)
        } else add([text[index++] ?? ""])
      }
      return values
    }
    if (text === "null") return []
    // A query string is no part of the path.
    if (/^queryOf\(/.test(text)) return [""]
    const called = source.functions.find(
      ({ name }) => text.startsWith(`${name}(`) && skip(text, name.length) === text.length
    )
    if (called !== undefined && source.code[called.from] !== "{")
      return valuesOf(source, called.from, source.code.slice(called.from, called.to), depth + 1)
    return /^\w+$/.test(text) ? named(source, at, text, depth) : unknown
  }

  const readers: Readonly<Record<string, string>> = {
    download: "GET",
    readLines: "GET",
    upload: "POST",
    useAll: "GET",
    usePages: "GET",
    useRead: "GET"
  }
  const found = sources.flatMap((source) =>
    Array.from(
      source.code.matchAll(/(?<![\w.])(ask|download|readLines|send|upload|useAll|usePages|useRead)\(/g)
    ).flatMap(({ 0: text, 1: name = "", index }) => {
      const open = index + text.length - 1
      const list = partsOf(inside(source.code, open))
      const fields = new Map(partsOf(inside(list[0] ?? "", 0)).map((one) => [/^\w+/.exec(one)?.[0], one] as const))
      const field = (name: string) => fields.get(name)?.replace(/^\w+:\s*/, "")
      const [method = "", path = ""] =
        name === "ask"
          ? list
          : name === "send"
            ? [field("method") ?? '"GET"', fields.get("path")?.includes(":") ? field("path") : "null"]
            : [`"${readers[name]}"`, list[0]]
      return valuesOf(source, open, path).flatMap((path) =>
        valuesOf(source, open, method).map((method) => ({
          file: source.file,
          method,
          // An unknown value behind a segment is a query string.
          path: (path.split(/[?&]/, 1)[0] ?? "").replace(/(?<=[^/_])\{\}$/, "")
        }))
      )
    })
  )
  return [...new Map(found.map((one) => [`${one.method} ${one.path} ${one.file}`, one])).values()]
}

/** The requests of the console. The hooks of `api/Read.ts` only hand on the paths of their callers, which are read there. */
export const requested = async (): Promise<ReadonlyArray<Requested>> => {
  const files = Array.from(new Glob("**/*.{ts,tsx}").scanSync(folder)).toSorted()
  const texts = await Promise.all(
    files.map(async (file) => [file, await Bun.file(resolve(folder, file)).text()] as const)
  )
  return requestsOf(Object.fromEntries(texts)).filter(({ file, path }) => file !== "api/Read.ts" || path !== "{}")
}
