import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Node } from "./node.ts"

/** A small site as a repository has it, with three faults: a page without a title, a link to nowhere, a page without a description. */
const pages: Readonly<Record<string, string>> = {
  "about.html":
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="description" content="Who makes the shoes."></head><body><h1>About</h1><p>Back to the <a href="/">start</a>.</p></body></html>\n',
  "index.html":
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shoes by hand</title><meta name="description" content="Shoes made by hand."></head><body><h1>Shoes</h1><p><a href="/about.html">About</a>, <a href="/care.html">care</a>, <a href="/sale.html">sale</a></p></body></html>\n',
  "care.html":
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Care of shoes</title></head><body><h1>Care</h1><p>Back to the <a href="/">start</a>.</p></body></html>\n'
}

/** How this program repairs a page by the rule that fails on it; another agent would read the steps of the fix. */
const repairs: Readonly<Record<string, (text: string, name: string) => string>> = {
  broken_link: (text) => text.replace(', <a href="/sale.html">sale</a>', ""),
  description_missing: (text) =>
    text.replace("</title>", '</title><meta name="description" content="How shoes last for years.">'),
  title_missing: (text) =>
    text.replace('<meta charset="utf-8">', '<meta charset="utf-8"><title>About the makers</title>')
}

/**
 * An agent's loop over the wire on a site in a git repository: find, run, read fixes, edit, commit, verify, compare. It prints each call with the tokens of
 * its answer, and answers whether everything was repaired and every answer within 8,000 tokens.
 */
export const agentLoop = async (
  serving: Node,
  key: string,
  home: string,
  tokensOf: (text: string) => Promise<number>
): Promise<boolean> => {
  const folder = join(home, "site")
  mkdirSync(folder)
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text)
  const git = (...words: ReadonlyArray<string>) => {
    const who = ["-c", "user.name=agent", "-c", "user.email=agent@example.com"]
    const { exitCode, stderr, stdout } = Bun.spawnSync(["git", ...who, ...words], { cwd: folder })
    if (exitCode !== 0) throw new Error(`${stderr}`)
    return `${stdout}`
  }
  git("init", "-q")
  git("add", ".")
  git("commit", "-qm", "A site")
  const site = Bun.serve({
    fetch: ({ url }) => {
      const name = new URL(url).pathname.slice(1) || "index.html"
      return name in pages
        ? new Response(readFileSync(join(folder, name)), { headers: { "content-type": "text/html" } })
        : new Response("gone", { status: 404 })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  let most = 0
  const call = async (name: string, args: object) => {
    const { body } = await serving.ask("POST", "/mcp", {
      body: { id: 1, jsonrpc: "2.0", method: "tools/call", params: { arguments: args, name } },
      headers: { accept: "application/json, text/event-stream" },
      key
    })
    const text: string = body.result.content[0].text
    const tokens = await tokensOf(text)
    most = Math.max(most, tokens)
    console.log(`loop ${name} ${JSON.stringify(args)}\n     ${tokens} tokens: ${text.slice(0, 160)}…`)
    return JSON.parse(text)
  }
  await call("list_sites", {})
  const { id } = await call("add_site", { url: site.url.href })
  const ended = async (name: string, args: object): Promise<Awaited<ReturnType<typeof call>>> => {
    const run = await call(name, { ...args, wait_seconds: 50 })
    return run.next?.startsWith("It goes on") ? await ended("get_run", { run: run.id }) : run
  }
  const first = await ended("start_run", { site: id })
  const fixes = await call("read_fixes", { limit: 3, site: id })
  for (const { id: fix } of fixes.rows) {
    const rule = String(fix).replace(/^fix_/, "")
    const repair = repairs[rule]
    if (repair === undefined) continue
    const { rows } = await call("list_findings", { rule, run: first.id })
    for (const { url } of rows) {
      const name = new URL(url).pathname.slice(1) || "index.html"
      writeFileSync(join(folder, name), repair(readFileSync(join(folder, name), "utf8"), name))
    }
    git("commit", "-qam", `Repair ${rule}`)
  }
  const rules = Object.keys(repairs)
  const verified = await call("verify_fixes", { rules, run: first.id, wait_seconds: 50 })
  await ended("start_run", { site: id })
  const compared = await call("compare_runs", { site: id })
  site.stop(true)
  console.log(git("log", "--oneline").trim().replaceAll(/^/gm, "     "))
  const fixed = new Set(
    verified.rules.flatMap((rule: { fixed: number; rule: string }) => (rule.fixed > 0 ? [rule.rule] : []))
  )
  console.log(`loop: score ${compared.score.before} to ${compared.score.after}; the longest answer has ${most} tokens`)
  return rules.every((rule) => fixed.has(rule)) && compared.score.delta > 0 && most <= 8000
}
