import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { allImportsOf, files, isBrowsers, roomOf, rooms, root, source, text } from "./rooms.ts"

const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) }

/** The imports of a file. The scanner adds React to files with JSX, for any compilation target. */
const scanned = (path: string) =>
  transpilers[path.endsWith("x") ? "tsx" : "ts"]
    .scanImports(text.get(path) ?? "")
    .filter(({ path: to }) => !/^react(?:$|\/)/.test(to))

/** The runtime imports of a file, without types: relative imports as paths from the root, packages by name. */
const imports = new Map(
  files.map((path) => [
    path,
    scanned(path).map(({ path: to }) => (to.startsWith(".") ? resolve(dirname(path), to) : to))
  ])
)

const named = (path: string) => relative(root, path)
const importsOf = (path: string) => imports.get(path) ?? []

/** All files that a file reaches by imports. */
const reach = (path: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const to of importsOf(path)) reach(to, seen)
  return seen
}

/** The text of the nearest guide of a file: in its folder or in one above it. */
const guideOf = (path: string): string => {
  const guide = join(dirname(path), "README.md")
  return existsSync(guide) ? readFileSync(guide, "utf8") : guideOf(dirname(path))
}

const most = 400
const linesOf = (path: string) => (text.get(path) ?? "").trimEnd().split("\n").length

/** The source files that a file imports in one form. */
const namedIn = (path: string, code: string, form: RegExp) =>
  [...code.matchAll(form)].map(([, to = ""]) => resolve(dirname(path), to))

/** Which files of the source import a file. */
const importersOf = Map.groupBy(
  files.flatMap((by) => [...new Set(allImportsOf(by))].map((file) => ({ by, file }))),
  ({ file }) => file
)

/** The only file that imports a file and is in its room. */
const onlyImporter = (path: string): string | undefined => {
  const [first, ...others] = importersOf.get(path) ?? []
  return first !== undefined && others.length === 0 && roomOf(first.by) === roomOf(path) ? first.by : undefined
}

/** Files with one importing neighbor that are subjects of their own: a use case behind its interface, or one side of two. */
const ofTheirOwn = [
  "src/features/backlinks/Backlinks.ts",
  "src/features/experiments/design/Designs.ts",
  "src/features/interventions/GitHubTurn.ts",
  "src/features/interventions/WordPressTurn.ts",
  "src/features/webhooks/deliveries/Tests.ts"
]

describe("the source code", () => {
  test("has no file that only one file of its room imports, unless both together were too long or it has an interface of its own", () => {
    const lazy = new Set(files.flatMap((path) => namedIn(path, text.get(path) ?? "", /import\("(\.[^"]+)"\)/g)))
    const tests = join(root, "test")
    const tested = new Set(
      readdirSync(tests, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
        .map((name) => join(tests, name))
        .flatMap((path) => namedIn(path, readFileSync(path, "utf8"), /\b(?:from |import\()"(\.[^"]+)"/g))
    )
    // Entries of a catalogue: checks, guidance, screens, tools.
    const entries = (by: string) => files.filter((path) => onlyImporter(path) === by).length
    const shallow = files.filter((path) => {
      const by = onlyImporter(path)
      if (by === undefined || linesOf(path) + linesOf(by) > most || lazy.has(path) || tested.has(path)) return false
      return !/(?:Api|Settings)\.ts$/.test(path) && entries(by) < 3
    })
    expect(shallow.map(named).toSorted()).toEqual(ofTheirOwn)
  })

  test("has the reason for every file of more than 400 lines in its room's guide", () => {
    const long = files.filter((path) => linesOf(path) > most)
    const unexplained = long.filter((path) => !guideOf(path).includes(`\`${basename(path)}\` has more than 400 lines`))
    expect(unexplained.map(named)).toEqual([])
  })

  test("has no casts, no any, no non-null assertions and no silenced diagnostics", () => {
    const escapes =
      /\bas any\b|: any\b|<any>|as unknown as|@ts-ignore|@ts-expect-error|biome-ignore|\w!\.|\bas (?!const\b)[A-Z][\w.<>]*[,;)\n]/
    const found = files.filter((path) => {
      const code = (text.get(path) ?? "")
        .replace(/^(?:import|export)\s(?:type\s)?[^"';=]*?\sfrom\s+"[^"]+".*$/gm, "")
        .split("\n")
        .filter(
          (line) =>
            !/^\s*(\*|\/\/|\/\*|import |export \{|export \*|export type \{|\} from)/.test(line) && !line.includes("`")
        )
        .join("\n")
      return escapes.test(code)
    })
    expect(found.map(named)).toEqual([])
  })

  test("keeps bypasses of the platform in files whose names begin with `unsafe`", () => {
    const found = files
      .filter((path) => !basename(path).startsWith("unsafe"))
      .filter((path) => /Reflect\.(get|set|apply)\b|new Proxy\(|unsafe[A-Z]/.test(text.get(path) ?? ""))
    expect(found.map(named)).toEqual([])
  })

  test("imports the platform by path, never through its barrels", () => {
    const barrels = new Set([
      "effect",
      "@effect/platform",
      "@effect/platform-bun",
      "@effect/sql",
      "@effect/sql-pg",
      "@effect/cli"
    ])
    const found = files.filter((path) => importsOf(path).some((to) => barrels.has(to)))
    expect(found.map(named)).toEqual([])
  })

  test("starts the command line without the code of any command", () => {
    const early = (path: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(path)) return seen
      seen.add(path)
      for (const { kind, path: to } of scanned(path))
        if (kind !== "dynamic-import") early(to.startsWith(".") ? resolve(dirname(path), to) : to, seen)
      return seen
    }
    const loaded = [...early(join(source, "cli.ts"))].map(named)
    expect(loaded.length).toBeGreaterThan(20)
    expect(
      loaded.filter((path) =>
        /Cli\.ts$|^src\/(app\/operator\/(?!Commands)|crawl\/Crawl|foundation\/database\/Database)|linkedom|parse5|sql/.test(
          path
        )
      )
    ).toEqual([])
  })

  test("has no circular imports, not even of types", () => {
    // Files without remaining imports are removed repeatedly: the rest is a circle, and its importers.
    const left = new Map(files.map((path) => [path, allImportsOf(path)]))
    for (let size = -1; size !== left.size; ) {
      size = left.size
      for (const [path, imports] of left) if (!imports.some((to) => left.has(to))) left.delete(path)
    }
    expect([...left.keys()].map(named)).toEqual([])
  })

  test("lets rooms import only rooms of lower layers", () => {
    const place = new Map(rooms.map((room, index) => [room, index]))
    const unknown = files.map(roomOf).filter((room) => !place.has(room))
    expect([...new Set(unknown)]).toEqual([])
    const upward = files.flatMap((path) =>
      allImportsOf(path)
        .filter((to) => roomOf(to) !== roomOf(path))
        .filter((to) => (place.get(roomOf(to)) ?? -1) <= (place.get(roomOf(path)) ?? -1))
        .map((to) => `${named(path)} -> ${named(to)}`)
    )
    expect(upward).toEqual([])
  })

  test("keeps contracts free of SQL, handlers and platforms", () => {
    const contracts = files.filter((path) => /(^|\/)Api\.ts$/.test(path))
    expect(contracts.length).toBeGreaterThan(3)
    for (const contract of contracts) {
      const forbidden = [...reach(contract)].filter((to) =>
        /@effect\/sql|platform-bun|^node:|^bun$|Repo\.ts$|\/Http\.ts$/.test(to)
      )
      expect({ contract: named(contract), forbidden }).toEqual({ contract: named(contract), forbidden: [] })
    }
  })

  test("keeps the imports of clients free of the crawler: the contract needs only the schemas of its report", () => {
    const api = [...reach(join(source, "Api.ts"))].map(named)
    const machinery = api.filter((path) =>
      /^src\/(app\/|crawl\/(?!report\/|diff\/CrawlDiff)|foundation\/(outbound|database|process|text|terminal))/.test(
        path
      )
    )
    expect(machinery).toEqual([])
    expect(api.filter((path) => path.startsWith("src/")).length).toBeLessThan(110)
  })

  test("keeps the crawl and the outbound client free of accounts, SQL and the API", () => {
    const free = files.filter((path) => /^src\/(crawl|foundation\/outbound)\//.test(named(path)))
    const foreign = free.filter((path) =>
      [...reach(path)].some(
        (to) =>
          /@effect\/sql/.test(to) ||
          /^src\/(?!crawl|foundation\/(browser|design|outbound|process|schema|text))/.test(
            named(to).startsWith("src") ? named(to) : ""
          )
      )
    )
    expect(foreign.map(named)).toEqual([])
  })

  test("lets a browser load its own folder, two packages, files that load nothing, and types of everything else", () => {
    const own = files.filter(isBrowsers)
    expect(own.length).toBeGreaterThan(10)
    const foreign = own.flatMap((path) =>
      importsOf(path)
        .filter((to) => !isBrowsers(to) && !/^(?:preact|@preact\/signals)(?:\/|$)/.test(to))
        .filter((to) => !files.includes(to) || importsOf(to).length > 0)
        .map((to) => `${named(path)} -> ${to}`)
    )
    expect(foreign).toEqual([])
    const entered = files.filter((path) => !isBrowsers(path) && importsOf(path).some(isBrowsers))
    expect(entered.map(named)).toEqual([])
  })

  test("creates no markup from text in a browser, and stores a key only in its tab", () => {
    const found = files
      .filter(isBrowsers)
      .filter((path) =>
        /innerHTML|dangerously|insertAdjacent|document\.write|\beval\(|\bstyle=|localStorage|document\.cookie|indexedDB/i.test(
          text.get(path) ?? ""
        )
      )
    expect(found.map(named)).toEqual([])
  })

  test("calls platform modules only in files that say so", () => {
    const adapters = files.filter((path) => importsOf(path).some((to) => /^node:|^bun$/.test(to)))
    const silent = adapters.filter((path) => !/platform adapter/i.test(text.get(path) ?? ""))
    expect(silent.map(named)).toEqual([])
  })

  test("has rooms with domain names", () => {
    const rooms = files.flatMap((path) => named(dirname(path)).split("/"))
    expect(rooms.filter((room) => /^(utils?|common|helpers?|misc|lib|types)$/.test(room))).toEqual([])
  })

  test("names no registry and no path of a developer's machine", () => {
    const tracked = Bun.spawnSync(["git", "ls-files"], { cwd: root }).stdout.toString().trim().split("\n")
    const found = tracked
      .filter((name) => name !== "" && statSync(join(root, name), { throwIfNoEntry: false })?.isFile())
      .filter((name) => /registry\.\w+\.(?:org|com)|\/(?:work|root)\/\w/.test(readFileSync(join(root, name), "utf8")))
    expect(found).toEqual([])
  })
})
