import * as Config from "effect/Config"
import { lasting, web } from "../../foundation/schema/Setting.ts"

/** Base address of GitHub's REST API; the one address that gets tokens. */
export const GitHubUrl = Config.url("FINDABLE_GITHUB_URL").pipe(
  web,
  Config.withDefault(new URL("https://api.github.com")),
  Config.withDescription(
    "base URL of the GitHub API; for GitHub Enterprise such as `https://github.example.com/api/v3`"
  )
)

/** Time between two looks at an open pull request. */
export const GitHubPoll = Config.duration("FINDABLE_GITHUB_POLL").pipe(
  lasting,
  Config.withDefault("10 minutes"),
  Config.withDescription("time between two checks of an open pull request")
)
