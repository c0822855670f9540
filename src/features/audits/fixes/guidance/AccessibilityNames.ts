import { axeDocs, nameless } from "./Axe.ts"
import type { GuidanceTable } from "./Guidance.ts"

/** Names and text alternatives. */
export const accessibilityNames: GuidanceTable = {
  "image-alt": {
    summary: "Images have no text alternative",
    why: "Screen readers read the file name or nothing, and search engines do not learn what the image shows.",
    goal: "Give every listed image a fitting alt attribute",
    steps: [
      "Find the template, component or content that renders each listed image.",
      "Describe what an informative image says, or what a linked image leads to, in its alt attribute.",
      'Give decorative images alt="", so that they are skipped; do not repeat text that stands beside the image.'
    ],
    docs: axeDocs("image-alt")
  },
  label: nameless(
    "label",
    "Form fields",
    "Add a label element whose for attribute equals the field's id, or wrap the field in its label; a placeholder is not a label."
  ),
  "button-name": nameless(
    "button-name",
    "Buttons",
    "Put text into the button, or aria-label on a button that shows only an icon."
  ),
  "link-name": nameless(
    "link-name",
    "Links",
    "Put text into the link; for a link around an image write the target into the image's alt, for an icon use aria-label."
  ),
  "select-name": nameless(
    "select-name",
    "Selection lists",
    "Add a label element whose for attribute equals the select's id."
  ),
  "input-button-name": nameless("input-button-name", "Input buttons", "Set the value attribute of the listed inputs."),
  "input-image-alt": nameless(
    "input-image-alt",
    "Image buttons",
    "Write the action of the button into its alt attribute."
  ),
  "object-alt": nameless("object-alt", "Embedded objects", "Put alternative text between the tags, or use aria-label."),
  "svg-img-alt": nameless(
    "svg-img-alt",
    "SVG images",
    "Add a title element as first child, or aria-label; use aria-hidden=true for decoration."
  ),
  "frame-title": nameless(
    "frame-title",
    "Frames",
    "Add a title attribute that names the content of the frame, unlike any other frame's."
  ),
  "aria-command-name": nameless(
    "aria-command-name",
    "Elements with a command role",
    "Put text into the element, or use aria-label."
  ),
  "aria-dialog-name": nameless("aria-dialog-name", "Dialogs", "Point aria-labelledby to the dialog's heading."),
  "aria-input-field-name": nameless(
    "aria-input-field-name",
    "ARIA input fields",
    "Point aria-labelledby to the visible label, or use aria-label."
  ),
  "aria-meter-name": nameless(
    "aria-meter-name",
    "Meters",
    "Point aria-labelledby to the visible label, or use aria-label."
  ),
  "aria-progressbar-name": nameless(
    "aria-progressbar-name",
    "Progress bars",
    "Name what is in progress with aria-label or aria-labelledby."
  ),
  "aria-toggle-field-name": nameless(
    "aria-toggle-field-name",
    "Switches and checkboxes",
    "Point aria-labelledby to the visible label, or use aria-label."
  ),
  "aria-tooltip-name": nameless("aria-tooltip-name", "Tooltips", "Put text into the element with the tooltip role."),
  "aria-treeitem-name": nameless("aria-treeitem-name", "Tree items", "Put text into the item, or use aria-label."),
  "empty-heading": nameless(
    "empty-heading",
    "Headings",
    "Put text into the heading, or remove it if it only makes space."
  ),
  "image-redundant-alt": {
    summary: "Text alternatives repeat the text beside the image",
    why: "Screen readers say the same words twice.",
    goal: "Remove the repetition",
    steps: [
      "Find the component that renders each listed image.",
      'Set alt="" where the text beside the image says the same, or describe what the text does not.'
    ],
    docs: axeDocs("image-redundant-alt")
  },
  "label-content-name-mismatch": {
    summary: "Accessible names differ from the visible labels",
    why: "People who use voice control say the visible label, and nothing happens.",
    goal: "Make the visible label a part of the accessible name",
    steps: ["Find the aria-label of each listed element.", "Begin it with the visible text, or remove it."],
    docs: axeDocs("label-content-name-mismatch")
  },
  "video-caption": {
    summary: "Videos have no captions",
    why: "People who cannot hear, or have the sound off, miss what is said.",
    goal: "Give the listed videos captions",
    steps: [
      "Produce a WebVTT file with what is said and the sounds that matter.",
      "Add it as a track element with kind=captions, srclang and label."
    ],
    docs: axeDocs("video-caption")
  },
  "form-field-multiple-labels": {
    summary: "Form fields have several labels",
    why: "Screen readers may announce the first, the last or all of them.",
    goal: "Keep one label for each listed field",
    steps: [
      "Find the labels that point to each listed field.",
      "Merge them into one, or move hints to aria-describedby."
    ],
    docs: axeDocs("form-field-multiple-labels")
  },
  "link-in-text-block": {
    summary: "Links in running text differ from it by colour only",
    why: "People with poor colour vision cannot find these links.",
    goal: "Make the listed links recognisable without colour",
    steps: ["Underline links in running text in the base styles.", "Keep the underline on hover and focus."],
    docs: axeDocs("link-in-text-block")
  }
}
