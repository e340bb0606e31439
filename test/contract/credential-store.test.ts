import { memoryStore } from "allspeak/auth";
import { fileStore } from "allspeak/node";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { describeCredentialStore } from "./credential-store.ts";

describeCredentialStore("memory", () => {
  const store = memoryStore();
  return () => store;
});

describeCredentialStore("file", () => {
  const folder = createTemporaryFolder();
  return () => fileStore({ folder });
});
