import { findElements as find, lostStructure as lost, structure } from "./Axe.ts"
import type { GuidanceTable } from "./Guidance.ts"

/** Headings, lists and tables. */
export const accessibilityStructure: GuidanceTable = {
  "heading-order": structure(
    "heading-order",
    "Heading levels are skipped",
    lost,
    "Let headings descend one level at a time",
    find,
    "Choose the level by position in the outline and the size by CSS.",
    "Let shared components take their level as a parameter."
  ),
  list: structure(
    "list",
    "Lists contain elements that are not items",
    lost,
    "Leave only list items in the listed lists",
    find,
    "Keep only li (and script or template) in ul and ol, and move everything else into an item."
  ),
  listitem: structure(
    "listitem",
    "List items are outside a list",
    lost,
    "Put the listed items into a list",
    find,
    "Wrap the items into ul or ol, or use other elements."
  ),
  "definition-list": structure(
    "definition-list",
    "Definition lists are not well formed",
    lost,
    "Repair the listed definition lists",
    find,
    "Keep only dt and dd groups in dl, optionally wrapped in div."
  ),
  dlitem: structure(
    "dlitem",
    "Terms or descriptions are outside a definition list",
    lost,
    "Put the listed elements into a dl",
    find,
    "Wrap dt and dd into dl, or use other elements."
  ),
  "td-headers-attr": structure(
    "td-headers-attr",
    "Table cells refer to missing headers",
    lost,
    "Repair the headers attributes of the listed cells",
    find,
    "Point headers to ids of th cells in the same table, or use scope instead."
  ),
  "th-has-data-cells": structure(
    "th-has-data-cells",
    "Table headers have no cells",
    lost,
    "Connect headers and cells",
    find,
    "Add scope=col or scope=row to th cells, and use td where a cell is no header."
  ),
  "td-has-header": structure(
    "td-has-header",
    "Cells of large tables have no headers",
    lost,
    "Give the listed cells headers",
    find,
    "Mark the header row and column with th and scope."
  ),
  "table-duplicate-name": structure(
    "table-duplicate-name",
    "Tables have the same caption and summary",
    lost,
    "Let caption and summary differ",
    find,
    "Keep the name in caption and remove summary."
  ),
  "table-fake-caption": structure(
    "table-fake-caption",
    "Tables fake a caption with a cell",
    lost,
    "Use a caption element",
    find,
    "Move the text of the spanning first cell into a caption element."
  )
}
