/** Files that run code, or decide about it, without anybody starting them: no page of a site is one, and reviewers easily think them harmless. */
interface Kind {
  /** Names or patterns of files or folders in any place; folded. */
  readonly names: ReadonlyArray<RegExp | string>
  readonly why: string
}

/** A name with any suffix, except extensions of documents about it. */
const plain = (name: string) =>
  new RegExp(`^${name}(?:[.-](?!(?:mdx?|markdown|html?|adoc|rst|txt|png|jpe?g|svg|webp)$).*)?$`)

/*
 * Not in the list are files that run only when somebody starts them (Makefile, justfile, Rakefile), and files that make the pages: sources, templates and the
 * configuration of site generators. They run with each build too, but only after review. `_redirects` and `_headers` run nothing, and `.htaccess`, which has
 * redirects, takes effect only where the reviewed change is served.
 */
const kinds: ReadonlyArray<Kind> = [
  {
    names: [
      plain("jenkinsfile"),
      /\.jenkinsfile$/,
      /^(?:azure-pipelines|bitbucket-pipelines|buildkite|appveyor|codefresh|bitrise|codemagic|buddy|cloudbuild|buildspec|appspec)(?:[.-][\w.-]+)?\.(?:ya?ml|json)$/,
      /[.-]gitlab-ci\.ya?ml$/,
      /^action\.ya?ml$/
    ],
    why: "continuous integration runs its commands, with the secrets of the repository, for a pull request already"
  },
  {
    names: [
      /^(?:netlify|wrangler|fly|railway|railpack|nixpacks)\.toml$/,
      /^(?:vercel|now|firebase|railway|railpack|nixpacks|app)\.json$/,
      /^vercel\.[cm]?[jt]s$/,
      /^wrangler\.jsonc?$/,
      /^(?:render|amplify|heroku|readthedocs)\.ya?ml$/,
      "captain-definition",
      plain("procfile"),
      plain("dockerfile"),
      plain("containerfile"),
      /\.(?:docker|container)file$/,
      /^(?:docker-)?compose(?:\.[\w-]+)*\.ya?ml$/
    ],
    why: "hosting services run its commands when they build the site, for a preview of a pull request already"
  },
  {
    names: ["codeowners", /^renovate\.json[5c]?$/, "bors.toml"],
    why: "it decides who must approve changes, or which ones are merged without anybody"
  },
  {
    names: [
      "githooks",
      "git-hooks",
      /^lefthook(?:-local)?\.(?:ya?ml|toml|json)$/,
      /^(?:husky|lint-staged|commitlint)\.config\.\w+$/,
      /^(?:simple-git-hooks|captainhook)\.(?:json|[cm]?js)$/,
      /^grumphp\.ya?ml$/
    ],
    why: "git runs hooks on the machines of everybody who works with the repository"
  },
  {
    names: [
      "node_modules",
      /^package\.(?:json[5c]?|ya?ml)$/,
      "npm-shrinkwrap.json",
      /^(?:package|pnpm|composer|conda|packages)[.-]lock\.(?:json|ya?ml)$/,
      /\.lock(?:b|file)?$/,
      /^pnpm-workspace\.ya?ml$/,
      "bunfig.toml",
      /^(?:deno|jsr)\.jsonc?$/,
      "bower.json",
      "composer.json",
      plain("gemfile"),
      /^gems\.(?:rb|locked)$/,
      /\.gemspec$/,
      /^(?:requirements|constraints)[\w.-]*\.(?:txt|in)$/,
      plain("pipfile"),
      "pyproject.toml",
      /^setup\.(?:py|cfg)$/,
      /^(?:sitecustomize|usercustomize|conftest)\.py$/,
      /\.pth$/,
      /^go\.(?:mod|sum|work|work\.sum)$/,
      "cargo.toml",
      "build.rs",
      "pom.xml",
      /^(?:mvnw|gradlew)(?:\.\w+)?$/,
      /\.gradle(?:\.kts)?$/,
      "gradle.properties",
      /^gradle-wrapper\.\w+$/,
      "mix.exs",
      /^pubspec\.ya?ml$/,
      /^package\.(?:swift|resolved)$/,
      "podfile",
      /^(?:nuget|packages)\.config$/,
      /^directory\.(?:build|packages)\.(?:props|targets)$/,
      /\.(?:cs|fs|vb)proj$/,
      "flake.nix",
      /\.gypi?$/,
      /\.podspec(?:\.json)?$/,
      "buildsrc",
      /\.versions\.toml$/,
      /^rust-toolchain(?:\.toml)?$/,
      "global.json"
    ],
    why: "package managers run code that it names, wherever the site is installed or built"
  },
  {
    names: ["mise.toml", "devbox.json", "devcontainer.json"],
    why: "editors and shells run it when they open the folder"
  }
]

/** Files that coding agents read first in a repository; in a subfolder such a name is a page, about estate agents for example. */
const instructions = /^(?:agents?|claude|gemini|qwen|warp)(?:\.(?:local|override))?\.md$/

/** Harmless names with a leading dot. */
const harmlessDots = /^\.(?:well-known|htaccess|nojekyll|vitepress|vuepress)$/

/** Documents of `.github`: texts and pictures, except instructions for agents and sources of workflows. */
const isDocument = (below: ReadonlyArray<string>): boolean => {
  const name = below.at(-1) ?? ""
  return (
    /\.(?:md|markdown|txt|rst|adoc|png|jpe?g|gif|svg|webp)$/.test(name) &&
    name !== "copilot-instructions.md" &&
    !below.some((part) =>
      /^(?:workflows|actions|hooks|instructions|prompts|agents|chatmodes|skills|scripts)$/.test(part)
    )
  )
}

/**
 * A path as the most tolerant file systems read it: ignoring case, accents, compatibility forms and characters without width (HFS+, APFS); without blanks and
 * dots at the ends of names, and without the names of streams (NTFS, FAT); with `\` as a separator.
 */
const partsOf = (path: string): ReadonlyArray<string> =>
  path
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toUpperCase()
    .toLowerCase()
    .split(/[/\\]/)
    .map((part) => (part.split(":", 1)[0] ?? "").trim().replace(/[.\s]+$/, ""))

/** A short name that Windows gives a file beside its long one: `git~1` is `.git`. */
const shortName = /^[^.~]{0,8}~\d{1,6}(?:\.[^.]{0,3})?$/

const whyPart = (part: string, below: ReadonlyArray<string>): string | undefined => {
  if (part === "") return "a name of blanks and dots is another folder on some file systems"
  if (shortName.test(part)) return `${part} is how Windows shortens names, and may be any file`
  if (part.startsWith(".") && !harmlessDots.test(part)) {
    if (part === ".git") return "git runs what the folder .git says"
    if (part !== ".github")
      return `names with a dot at their start, such as ${part}, configure git, continuous integration, editors and package managers, which run code`
    return isDocument(below)
      ? undefined
      : "in .github are workflows, and what decides about them; only documents may be changed there"
  }
  return kinds.find(({ names }) => names.some((name) => (typeof name === "string" ? name === part : name.test(part))))
    ?.why
}

/** Why a path leads to a file that runs code on some file system; undefined when it does not. */
export const whyCode = (path: string): string | undefined => {
  const parts = partsOf(path)
  if (parts.length === 1 && instructions.test(parts[0] ?? ""))
    return "coding agents obey it on the machines of everybody who works with the repository, and in continuous integration"
  for (const [index, part] of parts.entries()) {
    const why = whyPart(part, parts.slice(index + 1))
    if (why !== undefined) return why
  }
  return undefined
}
