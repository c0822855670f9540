import { type FaultName, faultNames } from "./faults.ts"
import { type Cell, matrix } from "./matrix.ts"
import { type Role, roles } from "./site.ts"

const code = (text: string) => `\`${text}\``

const headings: Readonly<Record<Role, string>> = {
  seed: "start page",
  page: "linked page",
  link: "link refused by 404, being confirmed",
  robots: "robots.txt",
  sitemap: "sitemap"
}

const verdict = ({ attempts, reason }: Cell): string =>
  reason === null ? "" : `${code(reason)} (${attempts.join(", ")})`

const cellText = (role: Role, cell: Cell): string => {
  if (cell.run.startsWith("start_")) return `run fails: ${code(cell.run)}`
  const end = cell.run === "complete" ? "" : `; run ends ${code(cell.run)}`
  switch (role) {
    case "robots":
      return cell.robots === "unreachable" ? `all ${code("robots_unreachable")}` : `${code(cell.robots)}, all allowed`
    case "sitemap": {
      const findings = cell.findings.length === 0 ? "" : `; ${cell.findings.map(code).join(", ")}`
      return `${code(cell.sitemap ?? "not_read")}${findings}${end}`
    }
    default:
      return `${verdict(cell)}${end}`
  }
}

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const rowOf = (fault: FaultName): string => line([fault, ...roles.map((role) => cellText(role, matrix[fault][role]))])

/** The fault matrix in Markdown: the result of a crawl for each fault in each role, and its GETs. */
export const table = (): string =>
  [
    line(["fault", ...roles.map((role) => headings[role])]),
    line(["---", ...roles.map(() => "---")]),
    ...faultNames.map(rowOf)
  ].join("\n")

if (import.meta.main) console.log(table())
