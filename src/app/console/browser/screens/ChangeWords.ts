import type { Intervention } from "../api/Contract.ts"
import { plural } from "../parts/Formats.ts"

/** The statuses of a change in readers' words. */
export const statuses: Readonly<Record<Intervention["status"], string>> = {
  proposed: "Proposed",
  merged: "Merged",
  deployed: "Deployed",
  not_verified: "Not verified",
  closed: "Closed",
  rolling_back: "Rolling back",
  rolled_back: "Rolled back",
  conflict: "Conflict"
}

/** The colour of a status, which its word tells too. */
export const statusTones = {
  closed: "quiet",
  conflict: "bad",
  deployed: "good",
  merged: "quiet",
  not_verified: "warn",
  proposed: "quiet",
  rolled_back: "quiet",
  rolling_back: "warn"
} as const

/** The meaning of a status, as a whole sentence. */
export const meaningOf = ({ connector, status }: Intervention): string => {
  const isGitHub = connector === "github"
  switch (status) {
    case "proposed":
      return isGitHub ? "The pull request is open. Review and merge it on GitHub." : "The values are not written yet."
    case "merged":
      return "The change is made, but Findable has not seen it on the site yet."
    case "deployed":
      return connector === "recorded" ? "The change is live, as recorded." : "Findable has seen the change on the site."
    case "not_verified":
      return "The change was not visible on the site within 24 hours. Deploy it, then recheck."
    case "closed":
      return "The pull request was closed without a merge."
    case "rolling_back":
      return isGitHub ? "Merge the second pull request to finish the rollback." : "The rollback is in progress."
    case "rolled_back":
      return "The previous state is restored."
    case "conflict":
      return "Somebody else changed the same, or the result of a write is unknown."
  }
}

/** Where a change was made. */
export const placeOf = ({ connector, fields, paths, post_id, post_type, repo, system }: Intervention): string => {
  if (connector === "github") return `${repo} (${plural(paths?.length ?? 0, "file")})`
  if (connector === "wordpress")
    return `WordPress, ${post_type === "pages" ? "page" : "post"} ${post_id} (${plural(fields?.length ?? 0, "field")})`
  return system ?? "Made elsewhere"
}

/** The consequences of a rollback. */
export const rollbackOf = ({ connector, status }: Intervention): string => {
  if (connector === "recorded") return "Records that this change was rolled back. Findable changes nothing on the site."
  if (connector === "wordpress") return "Writes the previous values to WordPress, unless somebody changed them since."
  return status === "proposed"
    ? "Closes the pull request and deletes its branch."
    : "Opens a second pull request that restores the files. The change is rolled back when you merge it."
}

/** Whether a change can be rolled back. */
export const mayRollBack = ({ status }: Intervention): boolean =>
  !["closed", "rolled_back", "rolling_back"].includes(status)
