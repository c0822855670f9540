import { resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import { report } from "../crawl/site/Crawled.ts"
import { loopback } from "../crawl/site/Loopback.ts"
import { serve } from "../crawl/site/Server.ts"
import { compare } from "./sites/Compare.ts"
import { expected } from "./sites/Expected.ts"
import { Folder } from "./sites/Folder.ts"

/** Differences and pages shown of each kind. */
const shown = 5

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { "built-for": { type: "string" }, start: { type: "string", default: "/" } }
})

const measure = (path: string) =>
  Effect.gen(function* () {
    const folders: Array<Folder> = []
    const { origin } = yield* serve((here) => {
      const folder = new Folder(resolve(path), values["built-for"] ?? null, here)
      folders.push(folder)
      return (request, response) => {
        const { body, location, status, type } = folder.answer(new URL(request.url ?? "/", here).pathname)
        response.writeHead(status, { "content-type": type, ...(location === null ? {} : { location }) })
        response.end(body)
      }
    })
    const [folder] = folders
    if (folder === undefined) return 0
    const truth = expected(folder, new URL(values.start, origin))
    const result = yield* report(new URL(values.start, origin).href, {
      deadline: "10 minutes",
      maxPages: 20_000,
      timing: {}
    })
    const { compared, differences } = compare(truth, result)
    const { score, summary } = result
    console.log(`\n## ${path}: ${truth.pages.size} addresses, score ${score.aggregate_score}, ${summary.termination}\n`)
    console.log("| compared | number | differences |\n|---|---:|---:|")
    for (const [about, count] of compared) {
      console.log(`| ${about} | ${count} | ${differences.filter((each) => each.about === about).length} |`)
    }
    for (const about of compared.keys()) {
      for (const { crawl, files, url } of differences.filter((each) => each.about === about).slice(0, shown))
        console.log(`\n${about}: ${url}\n  files: ${files}\n  crawl: ${crawl}`)
    }
    console.log("\n| failing rule | severity | pages | of | for example |\n|---|---|---:|---:|---|")
    for (const { count, evidence, rule, severity, status } of result.findings) {
      const examples = evidence.items
        .slice(0, shown)
        .map(({ detail, url }) => `${url.slice(origin.length)} (${detail})`)
      if (status === "fail")
        console.log(`| ${rule} | ${severity} | ${count} | ${evidence.assessed} | ${examples.join("; ")} |`)
    }
    return differences.length
  }).pipe(Effect.scoped, Effect.provide(loopback))

if (positionals.length === 0) {
  console.error("usage: bun test/accuracy/sites.ts [--built-for https://its.origin] [--start /path/] DIR …")
  process.exit(1)
}
const counts = await Effect.runPromise(Effect.forEach(positionals, measure))
process.exitCode = counts.every((count) => count === 0) ? 0 : 1
