// The stories of this folder, played on the way "stdio".
import { playStories } from "./play.ts";

playStories("stdio");
