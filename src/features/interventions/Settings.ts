import * as Config from "effect/Config"
import { lasting, web } from "../../foundation/schema/Setting.ts"

/** Base URL of GitHub's REST API; no other URL gets tokens. */
export const GitHubUrl = Config.url("FINDABLE_GITHUB_URL").pipe(
  web,
  Config.withDefault(new URL("https://api.github.com")),
  Config.withDescription(
    "Base URL of the GitHub API. For GitHub Enterprise, such as `https://github.example.com/api/v3`"
  )
)

/** Time between two status checks of an open pull request. */
export const GitHubPoll = Config.duration("FINDABLE_GITHUB_POLL").pipe(
  lasting,
  Config.withDefault("10 minutes"),
  Config.withDescription("Time between two status checks of an open pull request")
)
