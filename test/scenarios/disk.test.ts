// The stories of this folder, played on the way "disk".
import { playStories } from "./play.ts";

playStories("disk");
