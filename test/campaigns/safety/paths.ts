import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { blobOf, serve as gitHub } from "../../features/interventions/github.ts"
import { insider } from "../attackers.ts"
import type { Law } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { node } from "../node.ts"
import type { SafetyCase } from "../safety.ts"

const scopes = ["*", "interventions:read", "interventions:write"]

/** Files that run code, in spellings of file systems. */
const code = [
  ".git/config",
  ".GIT/hooks/pre-commit",
  ".g\u200cit/config",
  ".git\ufeff/config",
  ".git /config",
  ".git./config",
  ".git::$INDEX_ALLOCATION/config",
  ".gıt/config",
  "\uff0egit/config",
  "git~1/config",
  "GITMOD~1",
  "a/.git/config",
  ".\\.git\\config",
  "./.git/config",
  "a/..\u200d/.git/config",
  ".github/workflows/ci.yml",
  ".GitHub/Workflows/ci.yml",
  ".github/actions/x/action.yml",
  ".gitmodules",
  ".gitattributes",
  ".husky/pre-commit",
  ".githooks/pre-push",
  "lefthook.yml",
  ".gitlab-ci.yml",
  ".circleci/config.yml",
  "Jenkinsfile",
  "azure-pipelines.yml",
  ".travis.yml",
  "netlify.toml",
  "package.json",
  "a/b/PACKAGE.json",
  "PACKAG~1.JSO",
  "pnpm-lock.yaml",
  "a/yarn.lock",
  "bun.lock",
  ".npmrc"
]

const loud =
  "Fixes #1, closes acme/site#2, resolves GH-3 for @octocat, see https://github.com/acme/site/issues/4 [skip ci]"
const acts = /@[a-z]|#\d|GH-\d|\/issues\/\d|\[skip ci\]/i

/** Changes of files that run code, and texts on which GitHub acts. */
export const paths: SafetyCase = async () => {
  const installed = await installation({ scale: 1, seconds: 0 })
  const scope = await Effect.runPromise(Scope.make())
  try {
    const github = await Effect.runPromise(Effect.provideService(gitHub(), Scope.Scope, scope))
    const serving = await node({ DATABASE_URL: installed.database.url(), FINDABLE_GITHUB_URL: github.url })
    installed.onClose(() => serving.end("SIGKILL"))
    const { key } = await insider(installed.database, scopes)
    const made = await serving.ask("POST", "/api/v1/projects", { body: { url: "http://shop.example" }, key })
    const root = `/api/v1/projects/${made.body.data.id}`
    await serving.ask("PUT", `${root}/connectors/github`, { body: { token: "token" }, key })
    const repository = github.repository()
    const propose = (change: object, summary: string) =>
      serving.ask("POST", `${root}/interventions`, {
        body: { changes: [change], connector: "github", repo: repository.name, summary },
        key
      })
    const taken: Array<string> = []
    for (const path of code) {
      const { body, status } = await propose({ content: "x", expected_sha: null, path }, "x")
      if (status !== 422 || body.error.details[0].path !== "changes.0.path") taken.push(path)
    }
    const isUnasked = repository.asked.length === 0

    const change = { content: "New", expected_sha: blobOf("<title>Old</title>\n"), path: "index.html" }
    const { id } = (await propose(change, `${loud}\n\n${loud}`)).body.data
    repository.merge(1)
    await serving.ask("POST", `${root}/interventions/${id}/refresh`, { key })
    await serving.ask("POST", `${root}/interventions/${id}/roll-back`, { body: { reason: loud }, key })
    const said = [...repository.messages, ...repository.pulls.flatMap(({ body, title }) => [body, title])]
    const heard = said.filter((text) => acts.test(text))
    return [
      {
        found: JSON.stringify(taken),
        holds: taken.length === 0,
        law: `none of ${code.length} paths that run code is taken`
      },
      { found: String(isUnasked), holds: isUnasked, law: "GitHub is asked nothing for a path that runs code" },
      {
        found: `${heard.length} of ${said.length}: ${JSON.stringify(heard.slice(0, 2))}`,
        holds: heard.length === 0 && said.length === 6,
        law: "no title, body or commit, of a change or of its rollback, has a mention or closes an issue"
      }
    ] satisfies ReadonlyArray<Law>
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await installed.close()
  }
}
