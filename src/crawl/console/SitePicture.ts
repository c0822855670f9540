import { plural } from "../../foundation/text/Words.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { MeasuredPage } from "../report/MeasuredPage.ts"
import type { HealthState } from "../report/States.ts"
import { html, type Markup } from "./Markup.ts"
import { fit } from "./Text.ts"
import { reasonWords } from "./Wording.ts"

/** A folder of the site's addresses, with the pages at its own address. */
interface Folder {
  readonly name: string
  readonly pages: Array<MeasuredPage>
  readonly children: Map<string, Folder>
}

const folder = (name: string): Folder => ({ name, pages: [], children: new Map() })

/** The site's URLs as a tree of path segments; a query belongs to the last of them. */
const treeOf = ({ pages }: CrawlResult): Folder => {
  const root = folder("/")
  for (const page of pages) {
    const { pathname, search } = new URL(page.url)
    const parts = pathname.split("/").filter((part) => part !== "")
    if (search !== "") parts.push(search)
    let at = root
    for (const part of parts) {
      const next = at.children.get(part) ?? folder(part)
      at.children.set(part, next)
      at = next
    }
    at.pages.push(page)
  }
  return root
}

const size = ({ children, pages }: Folder): number =>
  Math.max(1, pages.length) + [...children.values()].reduce((sum, child) => sum + size(child), 0)

/** The states from the worst on: the worst page of an address gives its colour. */
const worst: ReadonlyArray<HealthState> = ["failed", "unchecked", "hidden", "redirect", "eligible"]

const colour = ({ pages }: Folder): string =>
  worst.find((state) => pages.some(({ health_state }) => health_state === state)) ?? "folder"

const rowHeight = 24
const maxRows = 8
/** Cells narrower than this are left out. */
const least = 1
const characterWidth = 6.6

const draw = (at: Folder, left: number, width: number, row: number): ReadonlyArray<Markup> => {
  if (width < least || row >= maxRows) return []
  const all = size(at)
  const label = width > 24 ? fit(at.name, Math.floor((width - 8) / characterWidth)) : ""
  const pages = at.pages.map(({ health_reason, url }) => `${url}: ${reasonWords[health_reason]}`).join("\n")
  const cell = html`<g><title>${pages === "" ? `${at.name}: ${plural(all - 1, "URL")}` : pages}</title><rect class="${colour(at)}" x="${left.toFixed(1)}" y="${row * rowHeight}" width="${width.toFixed(1)}" height="${rowHeight}" rx="2"/>${label === "" ? null : html`<text x="${(left + 4).toFixed(1)}" y="${row * rowHeight + 16}">${label}</text>`}</g>`
  const below: Array<Markup> = []
  let x = left
  for (const child of at.children.values()) {
    const share = (width * size(child)) / (all - Math.max(1, at.pages.length))
    below.push(...draw(child, x, share, row + 1))
    x += share
  }
  return [cell, ...below]
}

const rowsOf = ({ children }: Folder): number => 1 + Math.max(0, ...[...children.values()].map(rowsOf))

const depths = ({ pages }: CrawlResult): string => {
  const counts = new Map<number | null, number>()
  for (const { depth } of pages) counts.set(depth, (counts.get(depth) ?? 0) + 1)
  const linked = [...counts].flatMap(([depth, count]) => (depth === null ? [] : [[depth, count] as const]))
  const parts = linked.sort(([a], [b]) => a - b).map(([depth, count]) => `${plural(depth, "click")}: ${count}`)
  const loose = counts.get(null)
  return [...parts, ...(loose === undefined ? [] : [`by no path of links: ${loose}`])].join(", ")
}

/** What stands without any link is said by the rule about it, where the run could know. */
const orphans = ({ findings }: CrawlResult): string => {
  const finding = findings.find(({ rule }) => rule === "orphan_page")
  return finding === undefined || finding.status === "not_assessed"
    ? ""
    : ` In the sitemap without a link: ${finding.count}.`
}

const states = ["eligible", "hidden", "redirect", "failed", "unchecked"] as const

/** The site's structure as a picture: a row for each level of its folders, as wide as they have URLs, coloured by what became of them. */
export const sitePicture = (result: CrawlResult): Markup => {
  const tree = treeOf(result)
  const height = Math.min(maxRows, rowsOf(tree)) * rowHeight
  const name = `The site's folders: ${plural(result.pages.length, "URL")}`
  return html`<h2>Structure</h2><p class="quiet">URLs by clicks from the start: ${depths(result)}.${orphans(result)}</p><div class="wide"><svg viewBox="0 0 1000 ${height}" role="img" aria-label="${name}">${draw(tree, 0, 1000, 0)}</svg></div><p class="legend">${states.map((state) => html`<span><i class="${state}"></i>${state}</span>`)}</p>`
}
