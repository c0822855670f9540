import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { found, taking } from "../packages.ts"
import { strayWords } from "../words.ts"
import { root } from "./rooms.ts"

const tracked = Bun.spawnSync(["git", "ls-files", "-co", "--exclude-standard"], { cwd: root })
  .stdout.toString()
  .trim()
  .split("\n")
  .filter((name) => existsSync(join(root, name)))

const guides = tracked.filter((name) => name.endsWith(".md"))

const readText = (name: string) => readFileSync(join(root, name), "utf8")

/** The anchors of a guide, derived from its headings like code hosts do. */
const anchors = (markdown: string) =>
  new Set(
    [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/g, "-")
    )
  )

const withoutCode = (markdown: string) => markdown.replace(/^ *```[\s\S]*?^ *```$/gm, "")

/** Paragraphs, items and rows of a guide, without generated ones. */
const prose = (markdown: string) =>
  withoutCode(markdown)
    .replace(/<!-- \w+ -->[\s\S]*?<!-- \/ -->/g, "")
    .replace(/\]\([^)]*\)/g, "]")
    .split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.)\s)/)

/** The glossary contains the words that texts do not use, and pages of checks contain the catalogue's texts, which have their own test. */
const isProse = (guide: string) => guide !== "src/GLOSSARY.md" && !guide.includes("/checks/")

const contents = /<!-- toc -->\n[\s\S]*?<!-- \/ -->/

/** The table of contents of a guide: its sections, linked. */
const contentsOf = (markdown: string) => {
  const titles = Array.from(withoutCode(markdown).matchAll(/^## (.*)$/gm), ([, title = ""]) => title)
  return `<!-- toc -->\n${titles.map((title) => `- [${title}](#${[...anchors(`## ${title}`)][0]})`).join("\n")}\n<!-- / -->`
}

/** Links of a guide, without code. */
const links = (markdown: string) =>
  [...markdown.replace(/```[\s\S]*?```/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to)

/** The link targets of a guide within the repository, from its root. */
const leads = (guide: string) =>
  links(readText(guide))
    .filter((to) => !/^(https?|mailto):/.test(to))
    .map((to) => to.split("#")[0] ?? "")
    .flatMap((path) => (path === "" ? [] : resolve("/", dirname(guide), path).slice(1)))

/** Whether the package has a file: by the list in `package.json`, and the three that every package has. */
const isPacked = (() => {
  const listed: ReadonlyArray<string> = JSON.parse(readText("package.json")).files
  const globs = listed.map((pattern) => new Bun.Glob(pattern.includes("*") ? pattern : `${pattern}/**`))
  return (name: string) => /^(README\.md|LICENSE|package\.json)$/.test(name) || globs.some((glob) => glob.match(name))
})()

const packed = tracked.filter(isPacked)

describe("the guides", () => {
  for (const guide of guides) {
    test(`${guide}: every link leads somewhere`, () => {
      const broken = links(readText(guide))
        .filter((to) => !/^(https?|mailto):/.test(to))
        .filter((to) => {
          const [path = "", anchor] = to.split("#")
          const file = path === "" ? guide : resolve("/", dirname(guide), path).slice(1)
          if (!existsSync(join(root, file))) return true
          return anchor !== undefined && !anchors(readText(file)).has(anchor)
        })
      expect(broken).toEqual([])
    })
  }

  test("in the package link only to files of the package", () => {
    const inPackage = packed.filter((name) => name.endsWith(".md"))
    expect(inPackage.length).toBeGreaterThan(20)
    const lacking = inPackage.flatMap((guide) =>
      leads(guide).filter((to) => !packed.some((name) => name === to || name.startsWith(`${to}/`)))
    )
    expect(lacking).toEqual([])
  })

  test("name only code files that exist", () => {
    const missing = guides.flatMap((guide) =>
      [
        ...readText(guide)
          .replace(/```[\s\S]*?```/g, "")
          .matchAll(/`([\w./-]+(?<!NAME|\.d)\.tsx?)`/g)
      ]
        .map(([, name = ""]) => name)
        .filter((name) => !tracked.some((file) => file === name || file.endsWith(`/${name}`)))
        .map((name) => `${guide}: ${name}`)
    )
    expect(missing).toEqual([])
  })

  test("have nobody fetch a package of ours from a registry by its name", () => {
    for (const guide of guides) expect([guide, found(taking, readText(guide))]).toEqual([guide, []])
  })

  test("use the words of the glossary", () => {
    const stray = guides
      .filter(isProse)
      .flatMap((guide) =>
        prose(readText(guide)).flatMap((text) =>
          strayWords(text, /visibility/.test(guide)).map((found) => `${guide}: ${found}: ${text.replace(/\s+/g, " ")}`)
        )
      )
    expect(stray).toEqual([])
  })

  test("have lines of at most a hundred characters outside of tables and code", () => {
    const long = guides.flatMap((guide) =>
      withoutCode(readText(guide))
        .split("\n")
        .filter(
          (line) => line.length > 100 && /\S\s+\S/.test(line.slice(0, 101).trim()) && !/^\s*(?:\||#|!\[|<)/.test(line)
        )
        .map((line) => `${guide}: ${line}`)
    )
    expect(long).toEqual([])
  })

  test("have sentences of at most twenty words on average", () => {
    const wordy = guides.flatMap((guide) => {
      const sentences = prose(readText(guide))
        .filter((text) => !/^\s*(?:\||#)/.test(text))
        .flatMap((text) => text.split(/(?<=[.!?:])\s+/))
        .map((sentence) => sentence.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0)
        .filter((words) => words > 0)
      const mean = sentences.reduce((sum, words) => sum + words, 0) / Math.max(1, sentences.length)
      return mean > 20 ? [`${guide}: ${mean.toFixed(1)}`] : []
    })
    expect(wordy).toEqual([])
  })

  test("have a table of contents from sixty lines on, which `UPDATE_README=1` writes", () => {
    for (const guide of guides.filter((name) => name.startsWith("src/guides/"))) {
      const text = readText(guide)
      const expected = contentsOf(text)
      if (process.env.UPDATE_README === "1")
        writeFileSync(
          join(root, guide),
          text.replace(contents, () => expected)
        )
      const [own] = contents.exec(readText(guide)) ?? []
      if (own !== undefined || (text.split("\n").length > 60 && !/^src\/guides\/README\.md$/.test(guide))) {
        expect([guide, own]).toEqual([guide, expected])
      }
    }
  })

  test("include a README of at most 200 lines", () => {
    expect(readText("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(200)
  })

  test("are all reached from the README or from the map", () => {
    const reached = new Set([
      ...links(readText("README.md")).map((to) => to.split("#")[0]),
      ...links(readText("src/README.md")).map((to) => join("src", to.split("#")[0] ?? "")),
      ...["src/guides", "src/guides/reference/checks"].flatMap((folder) =>
        links(readText(join(folder, "README.md"))).map((to) => join(folder, to.split("#")[0] ?? ""))
      ),
      // A guide that the package lacks is named there.
      ...[...readText("src/README.md").matchAll(/`([\w./]+\.md)`/g)].map(([, name]) => name)
    ])
    // A room's own guide links to those of its folders.
    for (const guide of guides.filter((name) => reached.has(name)))
      for (const to of leads(guide)) if (to.startsWith(`${dirname(guide)}/`)) reached.add(to)
    expect(guides.filter((guide) => guide !== "README.md" && !reached.has(guide))).toEqual([])
  })

  test("and all comments cite nothing outside of the repository", () => {
    // Assembled here, so that this file does not cite them itself.
    const absent = new RegExp(
      [
        "DESI" + "GN\\b",
        "STY" + "LE\\.md",
        "HOU" + "SE\\.md",
        "\\biss" + "ue #?\\d",
        "\\bthe spe" + "c\\b",
        "spec/serv" + "ice"
      ].join("|")
    )
    const citing = tracked
      .filter((name) => /^(src|test|sql)\/|^README\.md$/.test(name) && /\.(ts|sql|md|tsv|json)$/.test(name))
      .flatMap((name) => {
        const found = absent.exec(readText(name))
        return found === null ? [] : [`${name}: ${found[0]}`]
      })
    expect(citing).toEqual([])
  })
})
