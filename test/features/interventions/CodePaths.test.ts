import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { FilePath } from "../../../src/features/interventions/Domain.ts"

const isTaken = (path: string) => Either.isRight(Schema.decodeUnknownEither(FilePath)(path))

const code = [
  ".git/config",
  ".git/hooks/pre-commit",
  ".gitmodules",
  ".gitattributes",
  ".gitconfig",
  ".github/workflows/ci.yml",
  ".github/workflows/triage.md",
  ".github/actions/build/action.yml",
  ".github/dependabot.yml",
  ".github/CODEOWNERS",
  ".github/copilot-instructions.md",
  ".github/instructions/a.instructions.md",
  ".githooks/pre-push",
  ".husky/pre-commit",
  "lefthook.yml",
  ".pre-commit-config.yaml",
  ".gitlab-ci.yml",
  "ci/site.gitlab-ci.yml",
  ".gitlab/ci/build.yml",
  ".circleci/config.yml",
  ".travis.yml",
  "Jenkinsfile",
  "Jenkinsfile.deploy",
  "azure-pipelines.yml",
  "azure-pipelines-1.yaml",
  "bitbucket-pipelines.yml",
  ".drone.yml",
  ".woodpecker.yml",
  ".woodpecker/build.yaml",
  ".buildkite/pipeline.yml",
  "appveyor.yml",
  ".appveyor.yml",
  ".cirrus.yml",
  ".gitea/workflows/x.yaml",
  ".forgejo/workflows/x.yaml",
  ".semaphore/semaphore.yml",
  ".teamcity/settings.kts",
  "cloudbuild.yaml",
  "cloudbuild.json",
  "railpack.json",
  "vercel.ts",
  "app.json",
  "binding.gyp",
  "Site.podspec",
  "buildSrc/build.kt",
  "gradle/libs.versions.toml",
  "rust-toolchain.toml",
  "global.json",
  "buildspec.yml",
  "netlify.toml",
  "vercel.json",
  "wrangler.toml",
  "Dockerfile",
  "docker-compose.yml",
  "Procfile",
  "CODEOWNERS",
  "docs/CODEOWNERS",
  "renovate.json",
  "package.json",
  "packages/site/package.json",
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.json",
  "composer.json",
  "composer.lock",
  "Gemfile",
  "Gemfile.lock",
  "requirements.txt",
  "requirements-dev.txt",
  "poetry.lock",
  "pyproject.toml",
  "setup.py",
  "go.mod",
  "Cargo.lock",
  "build.gradle.kts",
  "gradlew",
  "node_modules/a/index.js",
  ".npmrc",
  ".yarnrc.yml",
  ".yarn/releases/yarn.cjs",
  ".pnp.cjs",
  ".vscode/tasks.json",
  ".devcontainer/devcontainer.json",
  ".envrc",
  ".claude/settings.json"
]

const pages = [
  "index.html",
  "static/robots file.txt",
  "robots.txt",
  "sitemap.xml",
  ".well-known/security.txt",
  ".htaccess",
  ".nojekyll",
  "_redirects",
  "_headers",
  "_config.yml",
  "next.config.js",
  "Makefile",
  "src/hooks/useTitle.ts",
  "content/posts/dockerfile.md",
  "content/agents.md",
  "data/apps.json",
  "docs/jenkinsfile.html",
  "docs/package.json.md",
  "products/husky/index.html",
  "content/größe.md",
  "content/日本語.md",
  "a b/c~d.html",
  ".github/README.md",
  ".github/SECURITY.md",
  ".github/ISSUE_TEMPLATE/bug.md",
  ".github/images/logo.png",
  ".vitepress/config.mts",
  "github/workflows/ci.yml",
  "git/config.html",
  "manifest.json",
  "composer.html",
  "lock.html"
]

/** Spellings that file systems treat as equal. */
const spellings: ReadonlyArray<(name: string) => string> = [
  (name) => name.toUpperCase(),
  (name) => `${name[0]}\u200c${name.slice(1)}`,
  (name) => `${name.slice(0, 2)}\u200d${name.slice(2)}`,
  (name) => `${name}\ufeff`,
  (name) => `\u206f${name}`,
  (name) => `${name}\u00ad`,
  (name) => `${name} `,
  (name) => `${name}.`,
  (name) => `${name}. . `,
  (name) => `${name}\u00a0`,
  (name) => `${name}::$INDEX_ALLOCATION`,
  (name) => `${name}:stream`,
  (name) => `${name} ::$DATA`,
  (name) => name.replaceAll("i", "ı"),
  (name) => name.replaceAll("i", "İ"),
  (name) => name.replaceAll("s", "ſ").replaceAll("k", "\u212a"),
  (name) => name.replaceAll(/[a-z.]/g, (one) => String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0)),
  (name) => name.normalize("NFD")
]

describe("the path of a changed file", () => {
  test("is refused if it leads to instructions of coding agents at the root, and accepted elsewhere", () => {
    for (const name of ["AGENTS.md", "CLAUDE.md", "claude.local.md", "Gemini.md", "AGENTS.MD "]) {
      expect([name, isTaken(name)]).toEqual([name, false])
    }
    expect(isTaken("content/agents.md")).toBe(true)
  })

  for (const path of code) test(`${path} is refused, because it runs code`, () => expect(isTaken(path)).toBe(false))
  for (const path of pages) test(`${path} is accepted as a file of a site`, () => expect(isTaken(path)).toBe(true))

  test("is refused if it leads to code, in every spelling that file systems treat as equal, in every folder", () => {
    const anywhere = code.filter((path) => !/^(?:\.github|docs|packages|ci)\//.test(path))
    const spelled = fc
      .tuple(
        fc.constantFrom(...anywhere),
        fc.constantFrom("", "a/", "a/b.c/"),
        fc.array(fc.constantFrom(...spellings), { maxLength: 3 })
      )
      .map(([path, before, how]) => {
        const [first = "", ...rest] = path.split("/")
        return [before + how.reduce((name, spell) => spell(name), first), ...rest].join("/")
      })
    fc.assert(
      fc.property(spelled, (path) => {
        expect(isTaken(path)).toBe(false)
      }),
      { numRuns: 1000 }
    )
  })

  for (const path of [
    "git~1/config",
    "GIT~1/hooks/pre-commit",
    "GITMOD~1",
    "gi7eba~1",
    "GITATT~1",
    "HUSKY~1/pre-commit",
    "PACKAG~1.JSO",
    "a/GITHUB~2/workflows/ci.yml"
  ])
    test(`${path} is refused as a short name of Windows`, () => expect(isTaken(path)).toBe(false))

  for (const path of [
    "../a",
    "a/../b",
    "a/. ./b",
    "./a",
    "a//b",
    "a/",
    "/a",
    "a/.../b",
    "a/.\u200d./b",
    "a/\uff0e\uff0e/b",
    ".git\uff0fconfig",
    "a\\b",
    "\u200b",
    "a/ /b",
    ".git\u0000/config"
  ])
    test(`${JSON.stringify(path)} is invalid`, () => expect(isTaken(path)).toBe(false))

  test("is refused with a reason in the response", () => {
    const said = (path: string) =>
      Either.match(Schema.decodeUnknownEither(FilePath)(path), { onLeft: ({ message }) => message, onRight: () => "" })
    expect(said("site/package.json")).toContain("package managers run code that it names")
    expect(said(".github/workflows/ci.yml")).toContain("only documents may be changed there")
    expect(said("git~1/config")).toContain("Windows shortens names")
  })
})
