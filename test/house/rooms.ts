import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

export const root = resolve(import.meta.dir, "../..")
export const source = join(root, "src")

/** Every source file. */
export const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .map((name) => join(source, name))
  .filter((path) => /\.tsx?$/.test(path) && statSync(path).isFile())

export const text = new Map(files.map((path) => [path, readFileSync(path, "utf8")]))

/** Code that runs in a browser: it uses the browser's platform, so `async`, `fetch`, `Date` and timers are fine there. All other laws apply. */
const browser = join(source, "app/console/browser/")

export const isBrowsers = (path: string) => path.startsWith(browser)

/** The rooms from top to bottom, as the table of `src/README.md` lists them. */
export const rooms = Array.from(
  /<!-- rooms -->([\s\S]*?)<!-- \/ -->/
    .exec(readFileSync(join(source, "README.md"), "utf8"))?.[1]
    ?.matchAll(/^\| (?:\[`?([\w./]+)`?\]\([^)]*\)|`([\w./]+)`) \|/gm) ?? [],
  ([, linked, plain]) => linked ?? plain ?? ""
)

/** The room of a file: the longest listed folder, or the file itself if it stands alone. */
export const roomOf = (path: string): string => {
  const name = relative(source, path)
  const parts = name.split("/")
  const folders = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"))
  return folders.findLast((folder) => rooms.includes(folder)) ?? name
}

/** Every import of a file, including types. */
export const allImportsOf = (path: string) =>
  [...(text.get(path) ?? "").matchAll(/\b(?:from |import\()"(\.[^"]+)"/g)]
    .map(([, to = ""]) => resolve(dirname(path), to))
    .filter((to) => to.startsWith(source))

/** The rooms that a room imports. */
export const needs = new Map(
  rooms.map((room) => {
    const others = files
      .filter((path) => roomOf(path) === room)
      .flatMap(allImportsOf)
      .map(roomOf)
    return [room, new Set(others.filter((other) => other !== room))]
  })
)
