import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Welcome from "../../../src/app/node/Welcome.ts"
import * as CommandLine from "../../../src/foundation/terminal/CommandLine.ts"
import { run } from "../../command.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"
import { helpPages } from "../../help.ts"
import { literalsOf } from "../../literals.ts"
import { found, taking } from "../../packages.ts"
import { strayWords } from "../../words.ts"

// Every text of the command line, as an administrator reads it.

const src = resolve(import.meta.dir, "../../../src")

/** A text with its place. */
type Placed = readonly [place: string, text: string]

const strayIn = (texts: ReadonlyArray<Placed>) =>
  texts.flatMap(([place, text]) =>
    strayWords(text, /^findable geo|\/visibility\/|GEO_/.test(place)).map((words) => `${place}: ${words}: ${text}`)
  )

const fetchedIn = (texts: ReadonlyArray<Placed>) =>
  texts.flatMap(([place, text]) => found(taking, text).map((call) => `${place}: ${call}`))

const completions = [["bash", "findable --completions bash >> ~/.bashrc"]] as const

/** The sentences of a page of help, without calls and the names of commands, arguments and options. */
const proseOf = (page: string) =>
  page
    .split("\n\n")
    .filter((part) => !/^(?:USAGE|HELP|EXAMPLE|TAB COMPLETION)/.test(part))
    .map((part) => part.replace(/^findable[a-z -]*:?\s/, "").replace(/^ {2}\S.*?(?: {2,}|$)/gm, "  "))
    .join("\n")

/** The help of every command and group. */
const help = Effect.map(helpPages, (pages) =>
  pages.map(({ known, path }): Placed => [["findable", ...path].join(" "), CommandLine.page(path, known, completions)])
)

const start = {
  base: "http://127.0.0.1:8787",
  directory: "/srv/.findable",
  file: Option.none<string>(),
  key: Option.none<string>(),
  link: Option.none<string>()
}

const starts: Readonly<Record<string, Parameters<typeof Welcome.print>[0]>> = {
  "a first start": { ...start, key: Option.some("fnd_live_1"), link: Option.some(`${start.base}/console#login=1`) },
  "a first start with a file for the key": { ...start, file: Option.some("/srv/key"), key: Option.some("fnd_live_1") },
  "a later start": start
}

/** The output of an effect, by log format. */
const printed = (print: Effect.Effect<void, unknown>, format: string) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const { unsafe, ...console } = yield* Console.consoleWith(Effect.succeed)
    const log = (line: string) => Effect.sync(() => lines.push(line))
    yield* print.pipe(
      Console.withConsole({ ...console, log, unsafe }),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_LOG_FORMAT", format]])))
    )
    return lines.join("\n")
  })

const banners = Effect.forEach(["logfmt", "json"], (format) =>
  Effect.forEach(
    [
      ...Object.entries(starts).map(([name, of]) => [name, Welcome.print(of)] as const),
      ["a worker", Welcome.work] as const
    ],
    ([name, print]) => Effect.map(printed(print, format), (text): Placed => [`${name}, ${format}`, text])
  )
).pipe(Effect.map((texts) => texts.flat()))

/** A call of the command line, as in examples. */
const isCall = /^[a-z-]+(?: [a-z-]+)* (?:--[a-z]|\$[A-Z]|[\da-f]{8}-)/

const isStatement =
  /= NULL| AS id|interval .1 |gen_random_uuid|\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|GRANT|COPY|TRUNCATE|ORDER BY|WHERE|VALUES)\b/

const literalsIn = (name: string) => literalsOf(readFileSync(join(src, name), "utf8"))

/** Literals of a file that have words: no paths, no SQL. */
const textsIn = (name: string): ReadonlyArray<Placed> =>
  literalsIn(name).flatMap(({ text }) =>
    /\S\s\S/.test(text) && !isStatement.test(text) && !isCall.test(text) ? [[`src/${name}`, text] as const] : []
  )

const sources = readdirSync(src, { encoding: "utf8", recursive: true }).filter(
  (name) => !/\.(?:md|webp|png|svg)$/.test(name)
)
const code = sources.filter((name) => name.endsWith(".ts"))

/** Rooms whose texts are all for administrators. */
const rooms =
  /^(?:cli|bin|main)\.ts$|^app\/(?:operator|node|client|sdk)\/|^foundation\/(?:terminal|database|secrets|process)\/|\/Cli\w*\.ts$|Cli\.ts$/

/** The code before a log line or the description of a setting. */
const isTold = /(?:Effect\d*\.log\w+|[oO]utages\.report|\bevery|Config\.withDescription)\(\s*(?:"\d+ \w+", )?$/

/** Log lines and descriptions of settings of every room. */
const elsewhere = code.flatMap((name) =>
  literalsIn(name).flatMap(
    ({ before, text }): ReadonlyArray<Placed> => (isTold.test(before) ? [[`src/${name}`, text]] : [])
  )
)

describe("the words of the glossary", () => {
  it("are used in the help of every command", function* () {
    const pages = yield* help
    expect(pages.length).toBeGreaterThan(60)
    expect(strayIn(pages.map(([place, page]) => [place, proseOf(page)]))).toEqual([])
  })

  it("are used in the banner of every start", function* () {
    expect(strayIn(yield* banners)).toEqual([])
  })

  it("are used by findable doctor in an empty folder", function* () {
    const { stderr, stdout } = yield* run({ FINDABLE_DATA_DIR: join(yield* folder, "data") }, "doctor")
    expect(strayIn([["doctor", stdout + stderr]])).toEqual([])
  })

  test("are used in all texts of the command line", () => {
    const texts = code.filter((name) => rooms.test(name)).flatMap(textsIn)
    expect(texts.length).toBeGreaterThan(500)
    expect(strayIn(texts)).toEqual([])
  })

  test("are used in all log lines and all descriptions of settings", () => {
    expect(elsewhere.length).toBeGreaterThan(80)
    expect(strayIn(elsewhere)).toEqual([])
  })
})

describe("no text has a package manager fetch Findable by its name", () => {
  it("in help, banners and the output of findable doctor", function* () {
    const { stderr, stdout } = yield* run({ FINDABLE_DATA_DIR: join(yield* folder, "data") }, "doctor")
    expect(fetchedIn([...(yield* help), ...(yield* banners), ["doctor", stdout + stderr]])).toEqual([])
  })

  test("in any other text of the sources", () => {
    expect(
      fetchedIn(
        sources
          .filter((name) => /\.\w+$|Dockerfile$/.test(name))
          .map((name) => [name, readFileSync(join(src, name), "utf8")])
      )
    ).toEqual([])
  })
})
